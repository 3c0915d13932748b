import { expect, test } from "vitest";
import {
  type Entry,
  RECENT_MAX,
  recentFirst,
  searchEntries,
  SHOWN_OF_A_KIND,
  verbOf,
  withRecent,
} from "./palette-search.ts";

function entry(kind: Entry["kind"], name: string, more = ""): Entry {
  const nameText = name.toLowerCase();
  return {
    key: `${kind}:${name}`,
    kind,
    name,
    detail: more,
    nameText,
    text: `${nameText} ${more}`.toLowerCase(),
    leads: "/",
  };
}

const namesOf = (query: string, entries: readonly Entry[]) =>
  searchEntries(entries, query).map(({ entries: found }) => found.map(({ name }) => name));

test("command palette: an exact serial number comes before a prefix, a word's beginning, a part and another word", () => {
  const robots = [
    entry("robot", "Old SCR-10"),
    entry("robot", "ASCR-10"),
    entry("robot", "SCR-7", "Field of SCR-10"),
    entry("robot", "SCR-100"),
    entry("robot", "SCR-10"),
  ];
  expect(namesOf(" scr-10 ", robots)).toEqual([["SCR-10", "SCR-100", "Old SCR-10", "ASCR-10", "SCR-7"]]);
});

test("command palette: the kind with the best result comes first, and every word may be anywhere", () => {
  const entries = [
    entry("robot", "SCR-1004", "Row 4 Bhadla Solar Park Rajasthan"),
    entry("site", "Bhadla Solar Park", "Rajasthan"),
    entry("action", "Stop fleet"),
  ];
  expect(namesOf("bhadla", entries)).toEqual([["Bhadla Solar Park"], ["SCR-1004"]]);
  expect(namesOf("rajasthan 1004", entries)).toEqual([["SCR-1004"]]);
  expect(namesOf("nowhere", entries)).toEqual([]);
});

test("command palette: of ten thousand robots the best are shown, and all are counted", () => {
  const robots = Array.from({ length: 10_000 }, (_, nth) => entry("robot", `SCR-${nth + 1}`));
  const [found] = searchEntries(robots, "9999");
  expect(found?.entries.map(({ name }) => name)).toEqual(["SCR-9999"]);
  const [all] = searchEntries(robots, "scr");
  expect([all?.count, all?.entries.length]).toEqual([10_000, SHOWN_OF_A_KIND]);
});

test("command palette: recent ones come first, the latest at the top, and only so many are kept", () => {
  const robots = ["A", "B", "C"].map((name) => entry("robot", name));
  expect(recentFirst(robots, ["robot:C", "robot:gone", "robot:B"]).map(({ name }) => name)).toEqual(["C", "B", "A"]);
  expect(withRecent(["a", "b", "c"], "b")).toEqual(["b", "a", "c"]);
  expect(
    withRecent(
      Array.from({ length: 9 }, (_, nth) => String(nth)),
      "new",
    ),
  ).toHaveLength(RECENT_MAX);
});

test("command palette: stop and start before other words are verbs", () => {
  expect(verbOf("Stop 1004")).toEqual({ verb: "stop", of: "1004" });
  expect(verbOf("start row 7")).toEqual({ verb: "start", of: "row 7" });
  expect([verbOf("stop"), verbOf("stopped 4"), verbOf("Bhadla")]).toEqual([null, null, null]);
});
