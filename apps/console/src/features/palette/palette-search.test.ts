import { expect, test } from "vitest";
import {
  type Entry,
  RECENT_MAX,
  recentFirst,
  searchEntries,
  searchStops,
  SHOWN_OF_A_KIND,
  verbOf,
  withRecent,
} from "./palette-search.ts";

function entry(kind: Entry["kind"], name: string, more = ""): Entry {
  return {
    key: `${kind}:${name}`,
    kind,
    name,
    detail: more,
    names: [name.toLowerCase()],
    text: `${name} ${more}`.toLowerCase(),
    leads: "/",
  };
}

const stop = (name: string): Entry => ({ ...entry("action", name), isStop: true });

/** The names of the Stops found for a query, and of the one that Enter sends. */
function stopsFor(query: string, places: readonly Entry[], actions: readonly Entry[] = [stop("Stop fleet")]) {
  const stopOf = ({ kind, name }: Entry) =>
    kind === "site" ? stop(`Stop all at ${name}`) : kind === "robot" ? stop(`Stop ${name}`) : null;
  const { stops, meant } = searchStops({ places, actions, stopOf }, query);
  return { stops: stops.map(({ name }) => name), meant: meant?.name ?? null };
}

const namesOf = (query: string, entries: readonly Entry[]) =>
  searchEntries(entries, query).map(({ entries: found }) => found.map(({ name }) => name));

test("command palette: an exact serial number comes before whole words, a prefix, a word's beginning, a part and another word", () => {
  const robots = [
    entry("robot", "Old SCR-10"),
    entry("robot", "Old SCR-100"),
    entry("robot", "ASCR-10"),
    entry("robot", "SCR-7", "Field of SCR-10"),
    entry("robot", "SCR-100"),
    entry("robot", "SCR-10"),
  ];
  expect(namesOf(" scr-10 ", robots)).toEqual([["SCR-10", "Old SCR-10", "SCR-100", "Old SCR-100", "ASCR-10", "SCR-7"]]);
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
  expect(verbOf("Stop 1004")).toEqual({ verb: "stop", of: "1004", isOfSite: false });
  expect(verbOf("start row 7")).toEqual({ verb: "start", of: "row 7", isOfSite: false });
  expect(verbOf("stop all at Bhadla")).toEqual({ verb: "stop", of: "Bhadla", isOfSite: true });
  expect([verbOf("stop"), verbOf("stopped 4"), verbOf("Bhadla")]).toEqual([null, null, null]);
});

test("command palette: a Stop is meant if one name alone is what was typed, or has it as whole words", () => {
  const robots = ["SCR-10040", "SCR-1004", "SCR-1005", "ASCR-1005", "1006", "SCR-1006"].map((name) =>
    entry("robot", name),
  );
  expect(stopsFor("stop 1004", robots)).toEqual({ stops: ["Stop SCR-1004", "Stop SCR-10040"], meant: "Stop SCR-1004" });
  expect(stopsFor("stop scr-1005", robots).meant).toBe("Stop SCR-1005");
  expect(stopsFor("stop 1006", robots).meant).toBe("Stop 1006");
  // Two have it as a whole word, or many begin with it.
  expect(stopsFor("stop 1005", robots)).toEqual({ stops: ["Stop SCR-1005", "Stop ASCR-1005"], meant: null });
  expect(stopsFor("stop 100", robots).meant).toBeNull();
  expect(stopsFor("stop 10040", [...robots, entry("site", "Block 10040")]).meant).toBeNull();
});

test("command palette: the whole fleet, and a site by what its Stop is called, are stopped by name and never by less", () => {
  const sites = ["Bhadla Solar Park", "Rewa Solar Park", "All Saints"].map((name) => entry("site", name));
  const actions = [stop("Stop fleet"), stop("Stop all at Bhadla Solar Park"), entry("action", "New site")];
  const found = (query: string) => stopsFor(query, [entry("robot", "Bhadla"), ...sites], actions);
  expect(found("stop fleet")).toEqual({ stops: ["Stop fleet"], meant: "Stop fleet" });
  expect(found("Stop  Fleet ").meant).toBe("Stop fleet");
  expect(found("stop fl")).toEqual({ stops: ["Stop fleet"], meant: null });
  expect(found("stop")).toEqual({ stops: [], meant: null });
  expect(found("fleet")).toEqual({ stops: [], meant: null });
  expect(found("stop all at bhadla")).toEqual({
    stops: ["Stop all at Bhadla Solar Park"],
    meant: "Stop all at Bhadla Solar Park",
  });
  expect(found("stop all at Rewa").meant).toBe("Stop all at Rewa Solar Park");
  expect(found("stop all at solar park").meant).toBeNull();
  expect(found("stop all")).toEqual({
    stops: ["Stop all at Bhadla Solar Park", "Stop all at All Saints"],
    meant: null,
  });
});

test("command palette: no Stop is offered for an address, a partner or a state", () => {
  const places = [
    entry("site", "Bhadla Solar Park", "Jodhpur Rajasthan SunCare Services"),
    entry("robot", "SCR-1", "Row 4 Bhadla Solar Park"),
  ];
  for (const about of ["rajasthan", "suncare", "solar rajasthan"])
    expect(stopsFor(`stop ${about}`, places).stops).toEqual([]);
  expect(stopsFor("stop bhadla", places).stops).toEqual(["Stop all at Bhadla Solar Park"]);
});
