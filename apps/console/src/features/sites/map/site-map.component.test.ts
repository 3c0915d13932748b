import type { SiteStatus } from "@suncrew/contract/sites/sites.ts";
import { afterEach, expect, test } from "vitest";
import { SiteMap } from "./site-map.ts";
import { STATES, TOWNS } from "./map-names.ts";
import type { MarkerPaint } from "./site-marker.ts";

const paint: MarkerPaint = {
  fill: "#d02c2c",
  soft: "#ffffff",
  text: "#000000",
  font: "600 12px sans-serif",
  edge: "#ffffff",
  ring: "#0b6478",
  icon: [],
  alarm: null,
};
const paintOf = () => paint;
const site = (id: number, latitude: number, longitude: number, status: SiteStatus = "normal") => ({
  id,
  name: `Site ${id}`,
  latitude,
  longitude,
  status,
  mayBeMoving: false,
});

const open: { readonly map: SiteMap; readonly container: HTMLElement }[] = [];
afterEach(async () => {
  // The canvas is drawn in the next frame.
  await nextFrame();
  for (const { map, container } of open.splice(0)) {
    map.close();
    container.remove();
  }
});

const nextFrame = () => new Promise(requestAnimationFrame);

function openMap(width: number, height: number) {
  const container = document.createElement("div");
  Object.assign(container.style, { position: "relative", width: `${width}px`, height: `${height}px` });
  document.body.append(container);
  const selected: number[] = [];
  const popups: (readonly number[])[] = [];
  const map = new SiteMap({
    container,
    popupContent: document.createElement("p"),
    onSelect: (id) => selected.push(id),
    onPopup: (ids) => popups.push(ids),
  });
  open.push({ map, container });
  /** Presses a place of the map, as a pointer would. */
  const press = (latitude: number, longitude: number) => {
    const { x, y } = map.leaflet.latLngToContainerPoint([latitude, longitude]);
    const box = container.getBoundingClientRect();
    const canvas = container.querySelector(".leaflet-overlay-pane canvas");
    for (const type of ["mousedown", "mouseup", "click"]) {
      const init = { bubbles: true, clientX: box.left + x, clientY: box.top + y };
      canvas?.dispatchEvent(new MouseEvent(type, init));
    }
  };
  return { map, leaflet: map.leaflet, container, selected, popups, press };
}

test("§9 Map default centre and zoom: India at zoom 5 while every site is inside", () => {
  const { map, leaflet } = openMap(900, 900);
  map.showSites([site(1, 27, 72), site(2, 14, 77)], 1, paintOf);
  expect(leaflet.getZoom()).toBe(5);
  expect(leaflet.getCenter().lat).toBeCloseTo(20.5937, 1);
  expect(leaflet.getCenter().lng).toBeCloseTo(78.9629, 1);
});

const ends = [site(1, 34, 77), site(2, 8.5, 77), site(3, 23, 69), site(4, 27, 95)];

test("§9 Map: fitted where a site of India would be hidden, at first and after Reset; one abroad does not make India small", () => {
  const { map, leaflet } = openMap(490, 260);
  map.showSites([...ends, site(5, 52, 13)], null, paintOf);
  const hidden = () =>
    ends.filter(({ latitude, longitude }) => !leaflet.getBounds().pad(-0.05).contains([latitude, longitude]));
  expect(hidden()).toEqual([]);
  const zoom = leaflet.getZoom();
  expect(zoom).toBeGreaterThan(2.9);
  expect(zoom).toBeLessThan(5);
  leaflet.setView([52, 13], 8, { animate: false });
  expect(hidden()).toEqual(ends);
  map.reset();
  expect(leaflet.getZoom()).toBe(zoom);
  expect(hidden()).toEqual([]);
});

test("§9 Map: sites that are all abroad are shown where they are", () => {
  const { map, leaflet } = openMap(490, 260);
  map.showSites([site(1, 37.4, -6), site(2, 40.4, -3.7)], null, paintOf);
  expect(leaflet.getBounds().contains([37.4, -6])).toBe(true);
  expect(leaflet.getBounds().contains([40.4, -3.7])).toBe(true);
});

test("map: where two markers touch, the worse one lies above, also once another has become the worse", async () => {
  const { map, leaflet, selected, press } = openMap(600, 500);
  const { lng: apart } = leaflet.unproject(leaflet.project([20, 77]).add([19, 0]));
  const between = (77 + apart) / 2;
  map.showSites([site(1, 20, 77, "fault"), site(2, 20, apart, "normal")], null, paintOf);
  await nextFrame();
  press(20, between);
  map.showSites([site(1, 20, 77, "normal"), site(2, 20, apart, "warning")], null, paintOf);
  await nextFrame();
  press(20, between);
  expect(selected).toEqual([1, 2]);
});

test("map: sites that would cover each other are one marker; pressing it goes nearer until they come apart", async () => {
  const { map, leaflet, selected, press } = openMap(600, 500);
  map.showSites([site(1, 20, 77), site(2, 20.05, 77.1, "fault")], null, paintOf);
  await nextFrame();
  const zoom = leaflet.getZoom();
  press(20.025, 77.05);
  expect(selected).toEqual([]);
  await expect.poll(() => leaflet.getZoom()).toBeGreaterThan(zoom);
  await nextFrame();
  await expect
    .poll(() => {
      press(20.05, 77.1);
      return selected;
    })
    .toContain(2);
});

test("map: sites at one place are listed by their marker's popup, which stays open while their states change, until they are gone", async () => {
  const { map, popups, press } = openMap(600, 500);
  const both = (status: SiteStatus) => [site(1, 20, 77, status), site(2, 20, 77)];
  map.showSites(both("normal"), null, paintOf);
  await nextFrame();
  press(20, 77);
  expect(popups).toEqual([[1, 2]]);
  map.showSites(both("fault"), null, paintOf);
  await nextFrame();
  expect(popups).toEqual([[1, 2]]);
  map.showSites([...both("fault"), site(3, 25, 80)], null, paintOf);
  expect(popups).toEqual([[1, 2]]);
  map.showSites([site(3, 25, 80)], null, paintOf);
  expect(popups).toEqual([[1, 2], []]);
});

/** The names on the map that are shown, by their kind. */
const namesIn = (container: HTMLElement, kind: string) => [
  ...container.querySelectorAll<HTMLElement>(`.leaflet-names-pane [data-kind="${kind}"]`),
];
const wordsOf = (elements: readonly HTMLElement[]) => elements.map((one) => one.textContent.replace("\n", " "));

test("map: sites, towns, states and seas are named without covering each other or a marker; with tiles, only sites", async () => {
  const { map, leaflet, container } = openMap(900, 900);
  map.showSites([site(1, 27.5, 71.9), site(2, 14.1, 77.3)], 1, paintOf);
  await expect.poll(() => wordsOf(namesIn(container, "site"))).toEqual(["Site 1", "Site 2"]);
  expect(wordsOf(namesIn(container, "town"))).toEqual(expect.arrayContaining(["Mumbai", "Delhi", "Kolkata"]));
  expect(namesIn(container, "state").length).toBeGreaterThan(8);
  expect(wordsOf(namesIn(container, "sea"))).toEqual(expect.arrayContaining(["Arabian Sea"]));
  const names = ["site", "town", "state", "sea"].flatMap((kind) => namesIn(container, kind));
  const boxes = names.map((one) => ({ name: one.textContent, box: one.getBoundingClientRect() }));
  const { left, top } = container.getBoundingClientRect();
  const markers = [site(1, 27.5, 71.9), site(2, 14.1, 77.3)].map(({ name, latitude, longitude }) => {
    const { x, y } = leaflet.latLngToContainerPoint([latitude, longitude]);
    return { name: `marker of ${name}`, box: new DOMRect(left + x - 11, top + y - 11, 22, 22) };
  });
  const covering = [...boxes, ...markers].flatMap((one, index, all) =>
    all.slice(index + 1).flatMap((other) => (overlap(one.box, other.box) ? [`${one.name} and ${other.name}`] : [])),
  );
  expect(covering).toEqual([]);

  map.showTiles("data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' id='t{z}-{x}-{y}'/>");
  await expect.poll(() => namesIn(container, "town")).toEqual([]);
  expect(namesIn(container, "state")).toEqual([]);
  expect(wordsOf(namesIn(container, "site"))).toEqual(["Site 1", "Site 2"]);
});

function overlap(one: DOMRect, other: DOMRect): boolean {
  return one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom;
}

test("map: nearer, smaller towns are named; each state and union territory of India has its name", async () => {
  const { leaflet, container } = openMap(900, 600);
  await expect.poll(() => wordsOf(namesIn(container, "town"))).toContain("Delhi");
  expect(wordsOf(namesIn(container, "town"))).not.toContain("Phalodi");
  leaflet.setView([27, 72.5], 8, { animate: false });
  await expect.poll(() => wordsOf(namesIn(container, "town"))).toContain("Phalodi");
  expect(STATES).toHaveLength(28 + 8);
  expect(TOWNS.filter(([, latitude, longitude]) => Math.abs(latitude) > 70 || Math.abs(longitude) > 180)).toEqual([]);
  expect(new Set(TOWNS.map(([name]) => name)).size).toBe(TOWNS.length);
});
