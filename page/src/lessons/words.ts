/** The words of the lessons. */
import lessons from "../../../src/luozi/words/lessons.json";
import { sayerOf } from "../views/saying";

export const say = sayerOf(lessons, "lesson");
