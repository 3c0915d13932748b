/** In pixels of the map's container. */
export interface Box {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** A name that is shown if there is room for it. Sizes and places are in pixels. */
export interface LabelWish {
  /** What it names: a point of the container. */
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  /** Between the point and the name beside it; null if the name is centred on the point, or nearly so. */
  readonly gapPx: number | null;
  /** The dot that is drawn with the name: its radius, which needs room too. 0 if there is none. */
  readonly dotPx: number;
}

/** A centred name may be this much higher or lower, so that it still stands on what it names. */
const SHIFT_PX = 9;
/** Between two names, and between a name and a marker. */
const MARGIN_PX = 2;

/**
 * Where each name is shown, or null if there is no room. Earlier wishes go first: a name never covers an earlier one,
 * what is `taken`, or the edge of the view. Beside its point it is right of it if possible, else left, above or below;
 * a centred one may be a little higher or lower.
 */
export function placeLabels(wishes: readonly LabelWish[], view: Box, taken: readonly Box[]): readonly (Box | null)[] {
  const full = [...taken];
  const isFree = (box: Box) => isWithin(box, view) && !full.some((other) => areTouching(box, other));
  return wishes.map((wish) => {
    const { x, y, dotPx } = wish;
    const dot = { left: x - dotPx, top: y - dotPx, right: x + dotPx, bottom: y + dotPx };
    if (dotPx > 0 && !isFree(dot)) return null;
    const place = placesOf(wish).find(isFree) ?? null;
    if (place === null) return null;
    full.push(place);
    if (dotPx > 0) full.push(dot);
    return place;
  });
}

function placesOf({ x, y, width, height, gapPx }: LabelWish): readonly Box[] {
  const boxAt = (left: number, top: number) => ({ left, top, right: left + width, bottom: top + height });
  const [left, top] = [x - width / 2, y - height / 2];
  if (gapPx === null) return [boxAt(left, top), boxAt(left, top - SHIFT_PX), boxAt(left, top + SHIFT_PX)];
  return [
    boxAt(x + gapPx, top),
    boxAt(x - gapPx - width, top),
    boxAt(left, y - gapPx - height),
    boxAt(left, y + gapPx),
  ];
}

function isWithin(box: Box, view: Box): boolean {
  return box.left >= view.left && box.top >= view.top && box.right <= view.right && box.bottom <= view.bottom;
}

function areTouching(one: Box, other: Box): boolean {
  return (
    one.left < other.right + MARGIN_PX &&
    other.left < one.right + MARGIN_PX &&
    one.top < other.bottom + MARGIN_PX &&
    other.top < one.bottom + MARGIN_PX
  );
}
