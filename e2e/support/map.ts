import type { Locator } from "@playwright/test";

/** §9 Map default centre and zoom. */
const CENTRE = { latitude: 20.5937, longitude: 78.9629 };
const ZOOM = 5;
const TILE_PX = 256;
/** The map stands still once so many pictures of it were alike. */
const FRAMES_AT_REST = 10;

interface Place {
  readonly latitude: number;
  readonly longitude: number;
}

/** Where a place lies on the world's picture in pixels (spherical Mercator). */
function worldPixels({ latitude, longitude }: Place): { x: number; y: number } {
  const size = TILE_PX * 2 ** ZOOM;
  const sine = Math.sin((latitude * Math.PI) / 180);
  return {
    x: ((longitude + 180) / 360) * size,
    y: (0.5 - Math.log((1 + sine) / (1 - sine)) / (4 * Math.PI)) * size,
  };
}

/** Where on the screen a marker is drawn while the map has its first zoom; waits until the map stands still. */
export async function markerPlace(map: Locator, place: Place): Promise<{ x: number; y: number }> {
  const pane = await map.locator(".leaflet-map-pane").evaluate(async (element, framesAtRest) => {
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
  const box = await map.boundingBox();
  if (box === null) throw new Error("the map is not shown");
  const [at, centre] = [worldPixels(place), worldPixels(CENTRE)];
  return {
    x: box.x + box.width / 2 + at.x - centre.x + pane.x,
    y: box.y + box.height / 2 + at.y - centre.y + pane.y,
  };
}
