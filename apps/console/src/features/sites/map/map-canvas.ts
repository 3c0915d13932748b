import { Canvas } from "leaflet";

/** The library does not cancel a frame that it requested before it drew at once: that one may come after the end. */
export class MapCanvas extends Canvas {
  // oxlint-disable-next-line no-underscore-dangle -- so the library names it
  _redraw(): void {
    if (!("_ctx" in this)) return;
    const redraw: unknown = Reflect.get(Canvas.prototype, "_redraw");
    if (typeof redraw === "function") redraw.call(this);
  }
}
