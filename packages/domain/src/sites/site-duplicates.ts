/** A place in decimal degrees. */
export interface Coordinates {
  readonly latitude: number;
  readonly longitude: number;
}

/** §9 Duplicate-site coordinate tolerance, in millionths of a degree: 0.0001 degrees. */
const TOLERANCE = 100;
const WHOLE_TURN = 360_000_000;

/**
 * §5 Site create: true where two places are nearer than 0.0001 degrees on both axes. Compared in whole millionths,
 * because 27.53 and 27.5301 are less than 0.0001 apart for a computer's fractions.
 */
export function isSamePlace(one: Coordinates, other: Coordinates): boolean {
  const apart = (a: number, b: number) => Math.abs(Math.round(a * 1e6) - Math.round(b * 1e6));
  const around = apart(one.longitude, other.longitude) % WHOLE_TURN;
  return apart(one.latitude, other.latitude) < TOLERANCE && Math.min(around, WHOLE_TURN - around) < TOLERANCE;
}

/** §5: title and sentence of a place that is taken. */
export const duplicateLocation = {
  title: "Duplicate Location",
  message: "A site with these coordinates already exists. Please choose a different location.",
} as const;

/** §5 Site create: names are compared trimmed, in any case. */
export function siteNameKey(name: string): string {
  return name.normalize("NFC").trim().toLowerCase();
}

/** §5: title and sentence of a name that is taken. */
export const duplicateSiteName = {
  title: "Duplicate Site Name",
  message: "A site with this name already exists. Please choose a different name.",
} as const;

/** A cell is as wide as two places may be apart to count as the same, in millionths of a degree. */
const CELL = 100;
const CELLS_AROUND = 360_000_000 / CELL;

/** Places that are taken, each by somebody, so that among thousands one is found at once. */
export class LocationIndex<T> {
  readonly #cells = new Map<string, { readonly place: Coordinates; readonly by: T }[]>();

  /** A place that is none, as of an unreadable cell, is nowhere. */
  add(place: Coordinates, by: T): void {
    if (!Number.isFinite(place.latitude) || !Number.isFinite(place.longitude)) return;
    const [north, east] = cellOf(place);
    const key = keyOf(north, east);
    const cell = this.#cells.get(key);
    if (cell === undefined) this.#cells.set(key, [{ place, by }]);
    else cell.push({ place, by });
  }

  /** Who has a place that counts as the same (§5 Site create); those that `isNot` are left out. */
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

/** The cells of longitude go around the earth. */
function keyOf(north: number, east: number): string {
  return `${north} ${((east % CELLS_AROUND) + CELLS_AROUND) % CELLS_AROUND}`;
}
