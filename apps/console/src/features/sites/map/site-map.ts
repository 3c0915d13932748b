import {
  type Canvas,
  CircleMarker,
  type CircleMarkerOptions,
  latLngBounds,
  type LatLngExpression,
  type LatLngTuple,
  type Map as LeafletMap,
  point,
  type Point,
  popup as createPopup,
} from "leaflet";
import { type GroundColours, INDIA, isMotionUnwanted, MapGround } from "./map-ground.ts";

/** Without tiles there is nothing to see closer. */
const MAX_ZOOM_OUTLINE = 9;
/** A selected site is at least this far inside the view. */
const REVEAL_PX = 28;

interface MarkedSite {
  readonly id: number;
  readonly latitude: number;
  readonly longitude: number;
  readonly paint: MarkerPaint;
  /** Something is wrong there. */
  readonly needsSomebody: boolean;
}

interface SiteMapParts {
  readonly container: HTMLElement;
  /** The popup's content is filled by its creator. */
  readonly popupContent: HTMLElement;
  readonly onSelect: (siteId: number) => void;
  readonly onPopup: (siteId: number | null) => void;
}

/** Our own thin wrapper of the map: sites, ground and tiles in, a selection out. */
export class SiteMap {
  readonly #ground: MapGround;
  readonly #parts: SiteMapParts;
  readonly #markers = new Map<number, SiteMarker>();
  /** Where somebody is needed. */
  #needy: readonly LatLngTuple[] = [];
  /** Until somebody moves the map, it shows these. */
  #isTouched = false;

  constructor(parts: SiteMapParts) {
    this.#parts = parts;
    this.#ground = new MapGround(parts.container, MAX_ZOOM_OUTLINE);
    this.#ground.leaflet.on("popupclose", () => parts.onPopup(null));
    for (const event of ["pointerdown", "wheel", "keydown"]) {
      parts.container.addEventListener(event, () => (this.#isTouched = true), { passive: true, once: true });
    }
  }

  /** For the buttons beside the map. */
  get leaflet(): LeafletMap {
    return this.#ground.leaflet;
  }

  paintGround(colours: GroundColours): void {
    this.#ground.paint(colours);
  }

  showTiles(url: string | null): void {
    this.#ground.showTiles(url);
  }

  showSites(sites: readonly MarkedSite[], selectedId: number | null): void {
    const obsolete = new Set(this.#markers.keys());
    const isFirst = obsolete.size === 0;
    for (const site of sites) {
      obsolete.delete(site.id);
      const marker = this.#markers.get(site.id) ?? this.#addMarker(site);
      if (!marker.getLatLng().equals([site.latitude, site.longitude])) {
        marker.setLatLng([site.latitude, site.longitude]);
      }
      marker.show(site.paint, site.id === selectedId);
    }
    for (const id of obsolete) {
      this.#markers.get(id)?.remove();
      this.#markers.delete(id);
    }
    this.#needy = sites.flatMap((site) => (site.needsSomebody ? [[site.latitude, site.longitude]] : []));
    if (isFirst) this.#showNeedy();
  }

  /** Pans to a site if it is outside the view. */
  reveal(siteId: number): void {
    const marker = this.#markers.get(siteId);
    if (marker === undefined) return;
    this.#ground.leaflet.panInside(marker.getLatLng(), {
      padding: [REVEAL_PX, REVEAL_PX],
      animate: !isMotionUnwanted(),
    });
  }

  /** The popup's content has changed its size. */
  fitPopup(): void {
    this.#ground.leaflet.eachLayer((layer) => layer.getPopup()?.update());
  }

  closePopup(): void {
    this.#ground.leaflet.closePopup();
  }

  fit(): void {
    this.#ground.fit();
    this.#showNeedy();
  }

  /**
   * §9: centred on India at zoom 5; from there the map is panned, and if it is too small zoomed out, until it
   * shows every site in India that needs attention.
   */
  #showNeedy(): void {
    const places = this.#needy.filter((place) => INDIA.contains(place));
    if (this.#isTouched || places.length === 0) return;
    const { leaflet } = this.#ground;
    const bounds = latLngBounds(places);
    const padding: [number, number] = [REVEAL_PX, REVEAL_PX];
    const isFitting = leaflet.getBoundsZoom(bounds, false, point(2 * REVEAL_PX, 2 * REVEAL_PX)) >= leaflet.getZoom();
    if (!isFitting) leaflet.fitBounds(bounds, { padding, animate: false });
    else
      for (const end of [bounds.getSouthWest(), bounds.getNorthEast()])
        leaflet.panInside(end, { padding, animate: false });
  }

  close(): void {
    this.#ground.close();
  }

  #addMarker(site: MarkedSite): SiteMarker {
    const marker = new SiteMarker([site.latitude, site.longitude], site.paint, {});
    marker.bindPopup(
      createPopup({ minWidth: 200, maxWidth: 280, autoPanPadding: [12, 12] }).setContent(this.#parts.popupContent),
    );
    marker.on("click", () => this.#parts.onSelect(site.id));
    marker.on("popupopen", () => this.#parts.onPopup(site.id));
    marker.addTo(this.#ground.leaflet);
    this.#markers.set(site.id, marker);
    return marker;
  }
}

const RADIUS_PX = 11;
const SELECTED_RADIUS_PX = 14;
const EDGE_PX = 1.5;
const RING_GAP_PX = 2;
const RING_PX = 3;
/** How far an alarm's mark reaches from the centre, as a fraction of the radius. */
const ALARM_REACH = 1.7;

/** The lines of an icon, as SVG paths, in its box of 24 by 24. */
export type IconPaths = readonly string[];
const ICON_BOX = 24;
/** Sides of the icon's box as a fraction of the radius of the disc that it is drawn on. */
const ICON_SIDE = 1.45;

/** How a marker is drawn: colours as the canvas takes them. */
export interface MarkerPaint {
  readonly fill: string;
  /** The icon and the border against the background. */
  readonly edge: string;
  /** The highlight ring of the selected site. */
  readonly ring: string;
  readonly icon: IconPaths;
  /** A small mark at its corner: a robot there may be moving unseen. Null if none may. */
  readonly alarm: { readonly fill: string; readonly icon: IconPaths } | null;
}

interface DrawingCanvas extends Canvas {
  readonly _ctx: CanvasRenderingContext2D;
  readonly _drawing: boolean;
}

/**
 * §2 Map panel: a coloured circle with the icon of its status, larger with a highlight ring when selected. It draws
 * itself on the map's canvas, so that a thousand of them cost one element.
 */
class SiteMarker extends CircleMarker {
  declare readonly _point: Point;
  declare readonly _renderer: DrawingCanvas;
  #paint: MarkerPaint;
  #isSelected = false;

  constructor(at: LatLngExpression, paint: MarkerPaint, options: CircleMarkerOptions) {
    super(at, { ...options, radius: reachOf(paint, false), stroke: false, fill: true });
    this.#paint = paint;
  }

  show(paint: MarkerPaint, isSelected: boolean): void {
    if (paint === this.#paint && isSelected === this.#isSelected) return;
    this.#paint = paint;
    this.#isSelected = isSelected;
    this.setRadius(reachOf(paint, isSelected));
    if (isSelected) this.bringToFront();
  }

  /** Called by the map's canvas in place of its own circle. */
  _updatePath(): void {
    // oxlint-disable-next-line no-underscore-dangle -- so the library names them
    const { _ctx: context, _drawing: isDrawing } = this._renderer;
    if (!isDrawing) return;
    // oxlint-disable-next-line no-underscore-dangle -- so the library names it
    const { x, y } = this._point;
    const radius = this.#isSelected ? SELECTED_RADIUS_PX : RADIUS_PX;
    context.save();
    context.globalAlpha = 1;
    context.setLineDash([]);
    if (this.#isSelected) {
      disc(context, x, y, radius + RING_GAP_PX + RING_PX, this.#paint.ring);
      disc(context, x, y, radius + RING_GAP_PX, this.#paint.edge);
    } else {
      disc(context, x, y, radius + EDGE_PX, this.#paint.edge);
    }
    disc(context, x, y, radius, this.#paint.fill);
    drawIcon(context, this.#paint.icon, x, y, radius, this.#paint.edge);
    if (this.#paint.alarm !== null) this.#drawAlarm(context, radius, this.#paint.alarm);
    context.restore();
  }

  /** A small disc with its icon, at the upper right, inside the area that the library clears. */
  #drawAlarm(context: CanvasRenderingContext2D, radius: number, alarm: NonNullable<MarkerPaint["alarm"]>): void {
    // oxlint-disable-next-line no-underscore-dangle -- so the library names it
    const { x, y } = this._point;
    const [left, top, size] = [x + radius * 0.66, y - radius * 0.66, radius * 0.64];
    disc(context, left, top, size + EDGE_PX, this.#paint.edge);
    disc(context, left, top, size, alarm.fill);
    drawIcon(context, alarm.icon, left, top, size, this.#paint.edge);
  }
}

/** Draws an icon in the middle of a disc. */
function drawIcon(
  context: CanvasRenderingContext2D,
  icon: IconPaths,
  x: number,
  y: number,
  radius: number,
  colour: string,
): void {
  const scale = (radius * ICON_SIDE) / ICON_BOX;
  context.save();
  context.translate(x - (ICON_BOX / 2) * scale, y - (ICON_BOX / 2) * scale);
  context.scale(scale, scale);
  context.strokeStyle = colour;
  context.lineWidth = 2.4;
  context.lineCap = "round";
  context.lineJoin = "round";
  for (const line of icon) context.stroke(pathOf(context, line));
  context.restore();
}

/** Of each map, for as long as it is open. */
const pathsOf = new WeakMap<CanvasRenderingContext2D, Map<string, Path2D>>();

/** Each line is parsed once, not for each of a thousand markers. */
function pathOf(context: CanvasRenderingContext2D, line: string): Path2D {
  const paths = pathsOf.get(context) ?? new Map<string, Path2D>();
  pathsOf.set(context, paths);
  const path = paths.get(line) ?? new Path2D(line);
  paths.set(line, path);
  return path;
}

/** How far it is drawn from its centre. */
function reachOf({ alarm }: MarkerPaint, isSelected: boolean): number {
  const disc = isSelected ? SELECTED_RADIUS_PX + RING_GAP_PX + RING_PX : RADIUS_PX + EDGE_PX;
  const radius = isSelected ? SELECTED_RADIUS_PX : RADIUS_PX;
  return alarm === null ? disc : Math.max(disc, radius * ALARM_REACH + EDGE_PX);
}

function disc(context: CanvasRenderingContext2D, x: number, y: number, radius: number, fill: string): void {
  context.beginPath();
  context.arc(x, y, radius, 0, 2 * Math.PI);
  context.fillStyle = fill;
  context.fill();
}
