import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { GATHERED_WITHIN_MS, gatherEntries } from "./gathered-entries.ts";

interface Entry {
  readonly kind: string;
  readonly atMs: number;
}
const by = { kindOf: ({ kind }: Entry) => kind, atMs: ({ atMs }: Entry) => atMs };
const minutes = (kind: string, at: number): Entry => ({ kind, atMs: at * 60_000 });

describe("decisions, log of a report: entries that repeat are one", () => {
  test("twelve starts with a stop in between are one entry and the stop", () => {
    const starts = Array.from({ length: 12 }, (_, nth) => minutes("start", 100 - nth * 3));
    const gathered = gatherEntries([...starts.slice(0, 5), minutes("stop", 86), ...starts.slice(5)], by);
    expect(gathered.map(({ entries }) => entries.length)).toEqual([12, 1]);
    expect(gathered[0]).toMatchObject({ newest: { atMs: 100 * 60_000 }, oldest: { atMs: 67 * 60_000 } });
  });

  test("half an hour without one begins another", () => {
    const gathered = gatherEntries([minutes("start", 61), minutes("start", 31), minutes("start", 0.9)], by);
    expect(gathered.map(({ entries }) => entries.length)).toEqual([2, 1]);
  });

  test("each entry is printed once, under its own kind, and none is further from its neighbour than allowed", () => {
    const entry = fc.record({ kind: fc.constantFrom("a", "b", "c"), atMs: fc.nat(20 * GATHERED_WITHIN_MS) });
    fc.assert(
      fc.property(fc.array(entry), (made) => {
        const entries = made.toSorted((one, other) => other.atMs - one.atMs);
        const gathered = gatherEntries(entries, by);
        expect(new Set(gathered.flatMap((one) => one.entries))).toEqual(new Set(entries));
        expect(gathered.flatMap((one) => one.entries)).toHaveLength(entries.length);
        for (const { entries: some, newest, oldest } of gathered) {
          expect(new Set(some.map(({ kind }) => kind)).size).toBe(1);
          expect([newest, oldest]).toEqual([some[0], some.at(-1)]);
          for (const [nth, { atMs }] of some.entries())
            expect((some[nth - 1]?.atMs ?? atMs) - atMs).toBeLessThanOrEqual(GATHERED_WITHIN_MS);
        }
      }),
    );
  });
});
