/** A place in decimal degrees. */
export interface Coordinates {
  readonly latitude: number;
  readonly longitude: number;
}

/** §9 Duplicate-site coordinate tolerance, in millionths of a degree: 0.0001 degrees. */
const TOLERANCE = 100;
const WHOLE_TURN = 360_000_000;

/**
 * §5 Site create: true if two places are less than 0.0001 degrees apart on both axes. Compared in integer millionths,
 * because 27.5301 - 27.53 is less than 0.0001 in floating point.
 */
export function isSamePlace(one: Coordinates, other: Coordinates): boolean {
  const apart = (a: number, b: number) => Math.abs(Math.round(a * 1e6) - Math.round(b * 1e6));
  const around = apart(one.longitude, other.longitude) % WHOLE_TURN;
  return apart(one.latitude, other.latitude) < TOLERANCE && Math.min(around, WHOLE_TURN - around) < TOLERANCE;
}

/** §5: title and message for coordinates already in use. */
export const duplicateLocation = {
  title: "Duplicate Location",
  message: "A site with these coordinates already exists. Please choose a different location.",
} as const;

/** §5 Site create: names are compared trimmed and case-insensitively. */
export function siteNameKey(name: string): string {
  return name.normalize("NFC").trim().toLowerCase();
}

/** §5: title and message for a name already in use. */
export const duplicateSiteName = {
  title: "Duplicate Site Name",
  message: "A site with this name already exists. Please choose a different name.",
} as const;

/** Grid cell size in millionths of a degree, equal to the tolerance, so that duplicates are in adjacent cells. */
const CELL = 100;
const CELLS_AROUND = 360_000_000 / CELL;

/** A grid index of occupied places, for fast duplicate lookup among thousands. */
export class LocationIndex<T> {
  readonly #cells = new Map<string, { readonly place: Coordinates; readonly by: T }[]>();

  /** Places without finite coordinates, as from an unreadable cell, are ignored. */
  add(place: Coordinates, by: T): void {
    if (!Number.isFinite(place.latitude) || !Number.isFinite(place.longitude)) return;
    const [north, east] = cellOf(place);
    const key = keyOf(north, east);
    const cell = this.#cells.get(key);
    if (cell === undefined) this.#cells.set(key, [{ place, by }]);
    else cell.push({ place, by });
  }

  /** Who occupies the same place (§5 Site create), except those for whom `isNot` holds. */
  at(place: Coordinates, isNot: (by: T) => boolean = () => false): T | null {
    const [north, east] = cellOf(place);
    for (const up of [-1, 0, 1]) {
      for (const right of [-1, 0, 1]) {
        const near = this.#cells.get(keyOf(north + up, east + right)) ?? [];
        const found = near.find((taken) => isSamePlace(taken.place, place) && !isNot(taken.by));
        if (found !== undefined) return found.by;
      }
    }
    return null;
  }
}

function cellOf({ latitude, longitude }: Coordinates): [number, number] {
  const cell = (degrees: number) => Math.floor(Math.round(degrees * 1e6) / CELL);
  return [cell(latitude), cell(longitude)];
}

/** Longitude wraps around. */
function keyOf(north: number, east: number): string {
  return `${north} ${((east % CELLS_AROUND) + CELLS_AROUND) % CELLS_AROUND}`;
}
