import { expect, test } from "vitest";
import { clustersOf, halfWidthOf, type MarkedPlace, type MarkedState, rankOf, worstOf } from "./site-clusters.ts";

const state = (status: MarkedState["status"], mayBeMoving = false): MarkedState => ({ status, mayBeMoving });

test("map: sites whose markers would overlap become one, others keep their own", () => {
  const places = [
    { id: 1, x: 100, y: 100 },
    { id: 2, x: 110, y: 104 },
    { id: 3, x: 200, y: 100 },
  ];
  expect(clustersOf(places, null)).toEqual([
    { ids: [1, 2], x: 105, y: 102 },
    { ids: [3], x: 200, y: 100 },
  ]);
});

test("map: of 2,000 sites each is in one marker, no two markers overlap, and panning changes nothing", () => {
  const places = Array.from({ length: 2000 }, (_, id): MarkedPlace => {
    const turn = id * 2.399;
    return { id, x: 300 + Math.cos(turn) * Math.sqrt(id) * 6, y: 200 + Math.sin(turn) * Math.sqrt(id) * 4 };
  });
  const clusters = clustersOf(places, null);
  expect(clusters.flatMap(({ ids }) => ids).toSorted((a, b) => a - b)).toEqual(places.map(({ id }) => id));
  expect(clusters.length).toBeGreaterThan(20);
  const overlapping = clusters.flatMap((one, index) =>
    clusters.slice(index + 1).filter((other) => {
      const width = halfWidthOf(one.ids.length) + halfWidthOf(other.ids.length);
      return Math.abs(one.x - other.x) < width - 6 && Math.abs(one.y - other.y) < 18;
    }),
  );
  expect(overlapping).toEqual([]);
  const repeated = clustersOf(places, null);
  expect(repeated).toEqual(clusters);
});

test.each([
  { from: "left", selected: { x: 75, y: 101 }, moved: { x: 75 + 20 + halfWidthOf(2), y: 100 } },
  { from: "above", selected: { x: 100, y: 75 }, moved: { x: 102, y: 75 + 20 + 12 } },
  { from: "below", selected: { x: 104, y: 120 }, moved: { x: 102, y: 120 - 20 - 12 } },
  { from: "afar", selected: { x: 40, y: 40 }, moved: { x: 102, y: 100 } },
])("map: the selected site covers no number from $from: the marker moves aside", ({ selected, moved }) => {
  const places = [
    { id: 1, x: 100, y: 100 },
    { id: 2, x: 104, y: 100 },
  ];
  expect(clustersOf(places, { id: 3, ...selected })).toEqual([{ ids: [1, 2], ...moved }]);
});

test("map: a marker of several sites has the colour of the worst, and the mark of any that may have a moving robot", () => {
  expect(worstOf([state("normal"), state("fault"), state("warning")])).toEqual(state("fault"));
  expect(worstOf([state("standby"), state("normal")])).toEqual(state("normal"));
  expect(worstOf([state("standby"), state("standby")])).toEqual(state("standby"));
  expect(worstOf([state("normal", true), state("warning")])).toEqual(state("warning", true));
});

test("map: worse markers are drawn above better ones, and where a robot may be moving unseen above all", () => {
  const worseAndWorse = [
    state("standby"),
    state("normal"),
    state("warning"),
    state("fault"),
    state("standby", true),
    state("fault", true),
  ];
  expect(worseAndWorse.toSorted((a, b) => rankOf(a) - rankOf(b))).toEqual(worseAndWorse);
  expect(new Set(worseAndWorse.map(rankOf)).size).toBe(worseAndWorse.length);
});
