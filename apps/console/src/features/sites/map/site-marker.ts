import { type Canvas, CircleMarker, type LatLngExpression, type Point, type PointExpression, point } from "leaflet";
import { halfWidthOf } from "./site-clusters.ts";

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
  /** Ground and number of a marker for several sites. */
  readonly soft: string;
  readonly text: string;
  readonly font: string;
  /** A small mark at its corner: a robot there may be moving unseen. Null if none may. */
  readonly alarm: { readonly fill: string; readonly icon: IconPaths } | null;
}

interface DrawingCanvas extends Canvas {
  readonly _ctx: CanvasRenderingContext2D;
  readonly _drawing: boolean;
}

/**
 * §2 Map panel: a coloured circle with the icon of its status, larger with a highlight ring when selected; several sites
 * that would cover each other are one with their number. It draws itself on the map's canvas, so that a thousand of them
 * cost one element.
 */
export class SiteMarker extends CircleMarker {
  declare readonly _point: Point;
  declare readonly _renderer: DrawingCanvas;
  /** How many sites it stands for. */
  readonly #count: number;
  #paint: MarkerPaint;
  #isSelected = false;

  constructor(at: LatLngExpression, count: number, paint: MarkerPaint) {
    super(at, { radius: reachOf(paint, count, false), stroke: false, fill: true });
    this.#count = count;
    this.#paint = paint;
  }

  show(paint: MarkerPaint, isSelected: boolean): void {
    if (paint === this.#paint && isSelected === this.#isSelected) return;
    this.#paint = paint;
    this.#isSelected = isSelected;
    this.setRadius(reachOf(paint, this.#count, isSelected));
  }

  /** How far it reaches from its centre, to the side and up or down, in pixels. */
  get size(): { readonly halfWidth: number; readonly halfHeight: number } {
    if (this.#count > 1) return { halfWidth: halfWidthOf(this.#count), halfHeight: RADIUS_PX + EDGE_PX };
    const reach = reachOf(this.#paint, 1, this.#isSelected);
    return { halfWidth: reach, halfHeight: reach };
  }

  /** Called by the map's canvas: what lies beside a flat marker is not part of it. */
  _containsPoint(at: PointExpression): boolean {
    // oxlint-disable-next-line no-underscore-dangle -- so the library names it
    const { x, y } = point(at).subtract(this._point);
    const { halfWidth, halfHeight } = this.size;
    return this.#count > 1 ? Math.abs(x) <= halfWidth && Math.abs(y) <= halfHeight : Math.hypot(x, y) <= halfWidth;
  }

  /** Called by the map's canvas in place of its own circle. */
  _updatePath(): void {
    // oxlint-disable-next-line no-underscore-dangle -- so the library names them
    const { _ctx: context, _drawing: isDrawing } = this._renderer;
    if (!isDrawing) return;
    context.save();
    context.globalAlpha = 1;
    context.setLineDash([]);
    if (this.#count > 1) this.#drawSeveral(context);
    else this.#drawOne(context);
    context.restore();
  }

  #drawOne(context: CanvasRenderingContext2D): void {
    // oxlint-disable-next-line no-underscore-dangle -- so the library names it
    const { x, y } = this._point;
    const radius = this.#isSelected ? SELECTED_RADIUS_PX : RADIUS_PX;
    if (this.#isSelected) {
      disc(context, x, y, radius + RING_GAP_PX + RING_PX, this.#paint.ring);
      disc(context, x, y, radius + RING_GAP_PX, this.#paint.edge);
    } else {
      disc(context, x, y, radius + EDGE_PX, this.#paint.edge);
    }
    disc(context, x, y, radius, this.#paint.fill);
    drawIcon(context, this.#paint.icon, x, y, radius, this.#paint.edge);
    if (this.#paint.alarm !== null) this.#drawAlarm(context, [x, y], radius, this.#paint.alarm);
  }

  /** A flat marker: the disc of the worst status at its left end, and the number beside it. */
  #drawSeveral(context: CanvasRenderingContext2D): void {
    // oxlint-disable-next-line no-underscore-dangle -- so the library names it
    const { x, y } = this._point;
    const paint = this.#paint;
    const { halfWidth, halfHeight } = this.size;
    pill(context, x, y, halfWidth, halfHeight, paint.edge);
    pill(context, x, y, halfWidth - EDGE_PX, halfHeight - EDGE_PX, paint.fill);
    pill(context, x, y, halfWidth - 2 * EDGE_PX, halfHeight - 2 * EDGE_PX, paint.soft);
    const left = x - halfWidth + EDGE_PX + RADIUS_PX;
    disc(context, left, y, RADIUS_PX, paint.fill);
    drawIcon(context, paint.icon, left, y, RADIUS_PX, paint.edge);
    context.fillStyle = paint.text;
    context.font = paint.font;
    context.textAlign = "center";
    context.textBaseline = "middle";
    context.fillText(String(this.#count), (left + RADIUS_PX + x + halfWidth - 2 * EDGE_PX) / 2, y + 0.5);
    if (paint.alarm !== null) this.#drawAlarm(context, [x + halfWidth - 7, y - 4], RADIUS_PX, paint.alarm);
  }

  /** A small disc with its icon, at the upper right, inside the area that the library clears. */
  #drawAlarm(
    context: CanvasRenderingContext2D,
    [x, y]: readonly [number, number],
    radius: number,
    alarm: NonNullable<MarkerPaint["alarm"]>,
  ): void {
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
function reachOf({ alarm }: MarkerPaint, count: number, isSelected: boolean): number {
  if (count > 1) return halfWidthOf(count) + RADIUS_PX;
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

function pill(
  context: CanvasRenderingContext2D,
  x: number,
  y: number,
  halfWidth: number,
  halfHeight: number,
  fill: string,
): void {
  context.beginPath();
  context.roundRect(x - halfWidth, y - halfHeight, 2 * halfWidth, 2 * halfHeight, halfHeight);
  context.fillStyle = fill;
  context.fill();
}
