import { config } from "@suncrew/contract/config/config.ts";
import { live } from "@suncrew/contract/live/live.ts";
import { siteDetails } from "@suncrew/contract/sites/sites.ts";
import { afterEach, expect, test, vi } from "vitest";
import { page } from "vitest/browser";
import { when } from "../../../../test/answers.ts";
import { expectCount, expectTexts } from "../../../../test/expectations.ts";
import { openConsole } from "../../../../test/open-console.tsx";
import { livePart, sampleRobots, sampleSite } from "../../../../test/sample-fleet.ts";

afterEach(() => vi.restoreAllMocks());

/** The lines of the icons below an element. */
const linesIn = (element: Element | undefined) =>
  [...(element?.querySelectorAll("svg path") ?? [])].map((path) => path.getAttribute("d"));

test("§2 Map panel: a marker, its legend and the site's line in the list have the same icon", async () => {
  const drawn = new Set<unknown>();
  const Plain = Path2D;
  vi.spyOn(globalThis, "Path2D").mockImplementation(
    class extends Plain {
      constructor(line?: Path2D | string) {
        super(line);
        drawn.add(line);
      }
    },
  );
  const sites = [sampleSite({ status: "fault", may_be_moving_robots: 1 })];
  when(siteDetails).answer(sites);
  const robots = sampleRobots.map(livePart);
  when(live).stream(() => ({ type: "snapshot", at: new Date().toISOString(), robots, sites }));
  await openConsole("/dashboard?map=shown");
  const legend = page.getByRole("list", { name: "Markers of the map" }).getByRole("listitem");
  await expectTexts(legend, ["Normal", "Warning", "Fault", "Standby", "May be moving"]);
  const [, , fault, , mayBeMoving] = legend.elements();
  const wanted = [...linesIn(fault), ...linesIn(mayBeMoving)];
  await expect.poll(() => wanted.filter((line) => !drawn.has(line))).toEqual([]);
  expect(drawn.size).toBe(new Set(wanted).size);
  const line = page.getByRole("group", { name: "All Sites" }).getByRole("button").elements()[0];
  expect(linesIn(line)).toEqual(expect.arrayContaining(wanted));
});

/** The map's tiles, once its land outline is drawn, with a tile service that answers or does not. */
async function tilesWhere(available: boolean): Promise<() => number> {
  // A URL that needs no network, but still contains each tile's position.
  const url = "data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' id='t{z}-{x}-{y}'/>";
  const map_tiles = { url, attribution: "Maps by somebody", available };
  when(config).answer({ mode: "production", demo_sign_ins: [], map_tiles });
  await openConsole("/dashboard?map=shown");
  const map = page.getByRole("region", { name: /^Map of sites/ });
  // The outline lies under everything, tiles or not.
  await expect.poll(() => map.element().querySelector(".leaflet-land-pane canvas")).not.toBeNull();
  return () => map.element().querySelectorAll("img.leaflet-tile").length;
}

test("§9 Map: if the tile service answers, tiles are requested", async () => {
  const tiles = await tilesWhere(true);
  await expect.element(page.getByText("Maps by somebody")).toBeVisible();
  await expect.poll(tiles).toBeGreaterThanOrEqual(1);
});

test("§9 Map: if the tile service does not answer, no tile is requested", async () => {
  const tiles = await tilesWhere(false);
  await expectCount(page.getByText("Maps by somebody"), 0);
  expect(tiles()).toBe(0);
});
