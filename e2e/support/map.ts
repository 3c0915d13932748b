import type { Locator } from "@playwright/test";

/** The map counts as settled once this many consecutive screenshots are equal. */
const FRAMES_AT_REST = 10;

interface Place {
  readonly latitude: number;
  readonly longitude: number;
}

/** Waits until the map has settled, and returns how far it moved, in pixels. */
export async function movedAtRest(map: Locator): Promise<{ x: number; y: number }> {
  return map.locator(".leaflet-map-pane").evaluate(async (element, framesAtRest) => {
    const read = () => new DOMMatrix(getComputedStyle(element).transform);
    let place = read();
    for (let still = 0; still < framesAtRest;) {
      const { promise, resolve } = Promise.withResolvers<unknown>();
      requestAnimationFrame(resolve);
      await promise;
      const now = read();
      still = now.e === place.e && now.f === place.f ? still + 1 : 0;
      place = now;
    }
    return { x: place.e, y: place.f };
  }, FRAMES_AT_REST);
}

/** Where a location is drawn on a map, from the degrees at its edges; waits until the map has settled. */
export async function placeOnMap(map: Locator, place: Place): Promise<{ x: number; y: number }> {
  const mercator = (latitude: number) => Math.log(Math.tan(((45 + latitude / 2) * Math.PI) / 180));
  const [columns, rows] = [await linesAtRest(map, "top"), await linesAtRest(map, "right")];
  const [west, east, south, north] = [columns.at(0), columns.at(-1), rows.at(0), rows.at(-1)];
  if (!west || !east || !south || !north) throw new Error("the map has no degrees");
  const right = (place.longitude - west.degrees) / (east.degrees - west.degrees);
  const up = (mercator(place.latitude) - mercator(south.degrees)) / (mercator(north.degrees) - mercator(south.degrees));
  return { x: west.x + right * (east.x - west.x), y: south.y + up * (north.y - south.y) };
}

interface DegreeLine {
  readonly degrees: number;
  readonly x: number;
  readonly y: number;
}

async function linesAtRest(map: Locator, edge: "top" | "right"): Promise<readonly DegreeLine[]> {
  const labels = map.locator(`[data-edge="${edge}"]`);
  await labels.nth(1).waitFor({ state: "attached" });
  return labels.first().evaluate(
    async (first, { framesAtRest, selector }) => {
      const read = () =>
        [...(first.closest(".leaflet-container")?.querySelectorAll(selector) ?? [])].map((label) => {
          const { x, y } = label.getBoundingClientRect();
          const [number = "", side = ""] = (label.textContent ?? "").split("° ");
          return { degrees: Number(number.replace("°", "")) * (side === "S" || side === "W" ? -1 : 1), x, y };
        });
      let lines = read();
      for (let still = 0; still < framesAtRest;) {
        const { promise, resolve } = Promise.withResolvers<unknown>();
        requestAnimationFrame(resolve);
        await promise;
        const now = read();
        still = JSON.stringify(now) === JSON.stringify(lines) ? still + 1 : 0;
        lines = now;
      }
      return lines;
    },
    { framesAtRest: FRAMES_AT_REST, selector: `[data-edge="${edge}"]` },
  );
}
