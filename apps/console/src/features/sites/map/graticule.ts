import { DomUtil, layerGroup, polyline, type LatLngExpression, type Map as LeafletMap } from "leaflet";
import { MapCanvas } from "./map-canvas.ts";
import classes from "./map-ground.module.css";

/** Degrees between two lines; the narrowest that leaves room for their numbers is used. */
const STEPS = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 30] as const;
const MIN_GAP_PX = 52;
const PANE = "graticule";
/** Above the land, which is at 150, and below the tiles: a picture of the land needs no lines. */
const LEVEL = "160";
/** The edge's part that degrees take. */
const EDGE_PX = 44;
/** Parallels are not drawn nearer to the poles: the map ends there. */
const MAX_LATITUDE = 85;

/** Thin lines of latitude and longitude with their degrees at the map's edges, for a map that may have no tiles. */
export class Graticule {
  readonly #map: LeafletMap;
  readonly #pane: HTMLElement;
  readonly #lines = layerGroup();
  readonly #labels: HTMLElement[] = [];
  readonly #renderer = new MapCanvas({ pane: PANE, padding: 0.3 });
  #colour = "";

  constructor(map: LeafletMap) {
    this.#map = map;
    this.#pane = map.createPane(PANE);
    this.#pane.style.zIndex = LEVEL;
    this.#pane.ariaHidden = "true";
    this.#lines.addTo(map);
    map.on("moveend resize", this.#draw);
    // They are at the edges of the previous view.
    map.on("zoomstart", this.#forgetLabels);
  }

  paint(colour: string): void {
    this.#colour = colour;
    this.#draw();
  }

  close(): void {
    this.#map.off("moveend resize", this.#draw).off("zoomstart", this.#forgetLabels);
  }

  readonly #draw = (): void => {
    const bounds = this.#map.getBounds();
    const [west, east] = [bounds.getWest(), bounds.getEast()];
    const [south, north] = [Math.max(-MAX_LATITUDE, bounds.getSouth()), Math.min(MAX_LATITUDE, bounds.getNorth())];
    const pxPerDegree = this.#map.getSize().x / (east - west);
    const step = STEPS.find((degrees) => degrees * pxPerDegree >= MIN_GAP_PX) ?? 30;
    this.#lines.clearLayers();
    this.#forgetLabels();
    if (this.#colour === "" || !Number.isFinite(pxPerDegree)) return;
    for (const longitude of multiplesWithin(step, west, east)) {
      this.#line([south, longitude], [north, longitude], degreesText(longitude, "E", "W"), "top");
    }
    for (const latitude of multiplesWithin(step, south, north)) {
      this.#line([latitude, west], [latitude, east], degreesText(latitude, "N", "S"), "right");
    }
  };

  /** A line with its degrees at its end; none where it would run through the degrees of the others. */
  #line(from: LatLngExpression, to: LatLngExpression, text: string, edge: "top" | "right"): void {
    const { x, y } = this.#map.latLngToContainerPoint(to);
    if (edge === "top" ? x > this.#map.getSize().x - EDGE_PX : y < EDGE_PX / 2) return;
    const look = { color: this.#colour, weight: 1, interactive: false, pane: PANE, renderer: this.#renderer };
    polyline([from, to], look).addTo(this.#lines);
    const label = document.createElement("div");
    const words = document.createElement("span");
    words.textContent = text;
    label.append(words);
    label.className = classes["degree"] ?? "";
    label.dataset["edge"] = edge;
    DomUtil.setPosition(label, this.#map.latLngToLayerPoint(to));
    this.#pane.append(label);
    this.#labels.push(label);
  }

  readonly #forgetLabels = (): void => {
    for (const label of this.#labels.splice(0)) label.remove();
  };
}

function multiplesWithin(step: number, from: number, to: number): readonly number[] {
  const first = Math.ceil(from / step);
  return Array.from({ length: Math.max(0, Math.floor(to / step) - first + 1) }, (_, index) => (first + index) * step);
}

/** As in "75° E"; without digits caused by floating point. */
function degreesText(degrees: number, positive: string, negative: string): string {
  const around = ((((degrees + 180) % 360) + 360) % 360) - 180;
  const number = Number(Math.abs(around).toFixed(3));
  return number === 0 ? "0°" : `${number}° ${around > 0 ? positive : negative}`;
}
