/** The words of the views that look into the search. */
import looking from "../../../src/luozi/words/looking.json";
import { sayerOf } from "./saying";

export const say = sayerOf(looking, "looking");
