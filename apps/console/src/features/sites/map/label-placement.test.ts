import { expect, test } from "vitest";
import { type Box, type LabelWish, placeLabels } from "./label-placement.ts";

const view: Box = { left: 0, top: 0, right: 400, bottom: 300 };
const wish = (change: Partial<LabelWish> = {}): LabelWish => ({
  x: 200,
  y: 150,
  width: 60,
  height: 14,
  gapPx: 10,
  dotPx: 0,
  ...change,
});
const overlaps = (one: Box, other: Box) =>
  one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom;
/** Numbers from 0 to 1, always the same ones. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 16_807) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}

test("map: a name stands right of its point, else left of it, else above, else below, else nowhere", () => {
  const right = { left: 210, top: 143, right: 270, bottom: 157 };
  const left = { left: 130, top: 143, right: 190, bottom: 157 };
  const above = { left: 170, top: 126, right: 230, bottom: 140 };
  const below = { left: 170, top: 160, right: 230, bottom: 174 };
  const taken: Box[] = [];
  for (const place of [right, left, above, below]) {
    expect(placeLabels([wish()], view, taken)).toEqual([place]);
    taken.push(place);
  }
  expect(placeLabels([wish()], view, taken)).toEqual([null]);
});

test("map: where two names want the same room, the earlier one has it, and the other only if there is more", () => {
  const both = placeLabels([wish({ gapPx: null, width: 100 }), wish({ gapPx: null })], view, []);
  expect(both[0]).toEqual({ left: 150, top: 143, right: 250, bottom: 157 });
  const crowded = { ...view, top: 143, bottom: 157 };
  expect(placeLabels([wish({ gapPx: null }), wish({ gapPx: null })], crowded, [])).toEqual([
    { left: 170, top: 143, right: 230, bottom: 157 },
    null,
  ]);
});

test("map: a town whose dot would lie under a marker is not named, though its name would have room", () => {
  const marker = { left: 195, top: 145, right: 205, bottom: 155 };
  expect(placeLabels([wish({ dotPx: 2.5 })], view, [marker])).toEqual([null]);
});

test.each([1, 2, 3, 4, 5])(
  "map: of 200 names none covers another, a marker or the edge (places of number %i)",
  (seed) => {
    const next = numbers(seed);
    const at = () => ({ x: next() * 400, y: next() * 300 });
    const markers = Array.from({ length: 30 }, () => {
      const { x, y } = at();
      return { left: x - 12, top: y - 12, right: x + 12, bottom: y + 12 };
    });
    const wishes = Array.from({ length: 200 }, (_, index) =>
      wish({ ...at(), width: 30 + next() * 90, gapPx: index % 3 === 0 ? null : 6, dotPx: index % 3 === 1 ? 2.5 : 0 }),
    );
    const placed = placeLabels(wishes, view, markers).filter((box) => box !== null);
    expect(placed.length).toBeGreaterThan(10);
    const pairs = placed.flatMap((one, index) => [...placed.slice(index + 1), ...markers].map((other) => [one, other]));
    expect(pairs.filter(([one = view, other = view]) => overlaps(one, other))).toEqual([]);
    expect(placed.filter(({ left, top, right, bottom }) => left < 0 || top < 0 || right > 400 || bottom > 300)).toEqual(
      [],
    );
  },
);
