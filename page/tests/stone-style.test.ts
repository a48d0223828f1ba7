import assert from "node:assert/strict";
import { test } from "node:test";
import { earlierCells } from "../src/boards/stone-style";
import type { Piece } from "../src/protocol";

test("of three players everybody's last stone is marked, the newest by a mark of its own", () => {
  const pieces: Piece[] = [[3, 0, ""], [5, 1, ""], [9, 2, ""], [13, 0, ""]];
  const last = [{ number: 4, clicks: [13] }, { number: 2, clicks: [5] }, { number: 3, clicks: [9] }];
  assert.deepEqual(earlierCells(last, 4, pieces), [5, 9]);
  assert.deepEqual(earlierCells([last[0]!, null, last[2]!], 4, pieces), [9]); // who has not moved yet
  assert.deepEqual(earlierCells(last, 4, pieces.slice(2)), [9]); // what was taken is gone
});

test("of two players the last stone of the other one is the newest, or one's own", () => {
  assert.deepEqual(earlierCells([{ number: 1, clicks: [0] }, { number: 2, clicks: [1] }], 2, [[0, 0, ""], [1, 1, ""]]), []);
});
