import assert from "node:assert/strict";
import { test } from "node:test";
import { layersAcross, layoutOf, nameOf, neighbour, otherLayer } from "../src/boards/geometry";
import { grid } from "./boards";

const inside = (layout: ReturnType<typeof layoutOf>): boolean =>
  layout.places.every((place) => !place || (place.x > 0 && place.y > 0 && place.x < layout.width && place.y < layout.height));

test("every cell of every kind of board lies inside the picture", () => {
  const hexagons = grid(3, 3, { kind: "hexagons", offset: [0, 0.5, 1], missing: [5, 7, 8] });
  const points = grid(0, 0, { kind: "points", points: [[0, 0], [10, 0], [5, 8]], lines: [[0, 1], [1, 2]] });
  for (const board of [grid(6, 7), grid(19, 19, { style: "crossings" }), grid(4, 4, { kind: "layers", layers: 4 }), hexagons, points])
    assert.ok(inside(layoutOf(board)), board.kind);
});

test("arrow keys lead from cell to cell, and stay at the edge", () => {
  const layout = layoutOf(grid(3, 3));
  assert.equal(neighbour(layout, 4, "up"), 1);
  assert.equal(neighbour(layout, 4, "left"), 3);
  assert.equal(neighbour(layout, 8, "right"), 8);
});

test("arrow keys alone reach every cell of hexagons with a missing corner, and of points", () => {
  const hexagons = grid(4, 4, { kind: "hexagons", offset: [0, 0.5, 1, 1.5], missing: [7, 10, 11, 13, 14, 15] });
  const star = grid(0, 0, { kind: "points", points: [[0, 0], [1, 1], [2, 0], [1, 3], [0, 2]], lines: [[0, 1], [1, 2], [1, 3], [3, 4]] });
  for (const board of [hexagons, star]) {
    const layout = layoutOf(board);
    const seen = new Set([0]);
    for (const cell of seen)
      for (const way of ["up", "down", "left", "right"] as const) seen.add(neighbour(layout, cell, way));
    assert.equal(seen.size, layout.places.filter(Boolean).length);
  }
});

test("an arrow key leads to the next row of hexagons, and along its own", () => {
  const layout = layoutOf(grid(5, 5, { kind: "hexagons", offset: [0, 0.5, 1, 1.5, 2] }));
  assert.equal(Math.floor(neighbour(layout, 12, "down") / 5), 3);
  assert.equal(Math.floor(neighbour(layout, 12, "up") / 5), 1);
  assert.deepEqual([neighbour(layout, 12, "left"), neighbour(layout, 12, "right")], [11, 13]);
  assert.equal(neighbour(layout, 10, "left"), 10);
});

test("arrow keys cross from layer to layer, and page keys change the layer in place", () => {
  const board = grid(2, 2, { kind: "layers", layers: 2 });
  const layout = layoutOf(board, 2);
  assert.equal(neighbour(layout, 1, "right"), 4);
  assert.equal(otherLayer(board, 1, 1), 5);
  assert.equal(otherLayer(board, 5, 1), 5);
});

test("six layers of a cube stand three beside each other where it is wide, and two where it is high", () => {
  const cube = grid(6, 6, { kind: "layers", layers: 6 });
  assert.equal(layersAcross(cube, 1.5), 3);
  assert.equal(layersAcross(cube, 0.7), 2);
});

test("cells are named as on the board", () => {
  assert.equal(nameOf(grid(3, 3), 0), "a3");
  assert.equal(nameOf(grid(3, 3, { kind: "layers", layers: 2 }), 17), "2c1");
});

test("the coloured edges of a board of hexagons are inside its picture", () => {
  const layout = layoutOf(grid(3, 3, { kind: "hexagons", offset: [0, 0.5, 1] }));
  const [thick, shift, half] = [0.06, 0.2, 1 / Math.sqrt(3)]; // of the edge as it is drawn, and of a hexagon
  for (const place of layout.places) {
    assert.ok(place!.x + 0.5 + shift + thick <= layout.width);
    assert.ok(place!.y + half + shift + thick <= layout.height);
  }
});

test("no name of a row or a column lies on a cell or on another name, whatever cells are missing", () => {
  let seed = 1;
  const random = (): number => (seed = (seed * 16_807) % 2_147_483_647) / 2_147_483_647;
  const hexagon = Array.from({ length: 49 }, (_, cell) => cell).filter((cell) => Math.abs(Math.floor(cell / 7) + (cell % 7) - 6) > 3);
  const some = Array.from({ length: 60 }, () => Array.from({ length: 48 }, (_, cell) => cell).filter(() => random() < 0.4));
  const leaning = Array.from({ length: 7 }, (_, row) => row / 2);
  const offsets = [leaning, [...leaning].reverse(), leaning.map((_, row) => (row % 2) / 2)];
  for (const missing of [[], hexagon, ...some])
    for (const offset of offsets) {
      const layout = layoutOf(grid(7, 7, { kind: "hexagons", offset, missing }));
      const wide = 0.6 * layout.text;
      layout.labels.forEach((label, index) => {
        assert.ok(label.x > 0 && label.y > 0 && label.x < layout.width && label.y < layout.height);
        for (const place of layout.places) assert.ok(!place || Math.hypot(place.x - label.x, place.y - label.y) > 0.6);
        for (const other of layout.labels.slice(0, index))
          assert.ok(Math.abs(other.x - label.x) >= wide || Math.abs(other.y - label.y) >= layout.text, `${label.text} and ${other.text}`);
      });
      assert.ok(layout.labels.length > 0 && inside(layout));
    }
});
