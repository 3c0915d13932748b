import { isSamePlace, type Place } from "./site-place.ts";

/** A cell is as wide as two places may be apart to count as the same, in millionths of a degree. */
const CELL = 100;
const CELLS_AROUND = 360_000_000 / CELL;

/** Places that are taken, each by somebody, so that among thousands one is found at once. */
export class LocationIndex<T> {
  readonly #cells = new Map<string, { readonly place: Place; readonly by: T }[]>();

  /** A place that is none, as of an unreadable cell, is nowhere. */
  add(place: Place, by: T): void {
    if (!Number.isFinite(place.latitude) || !Number.isFinite(place.longitude)) return;
    const [north, east] = cellOf(place);
    const key = keyOf(north, east);
    const cell = this.#cells.get(key);
    if (cell === undefined) this.#cells.set(key, [{ place, by }]);
    else cell.push({ place, by });
  }

  /** Who has a place that counts as the same (§5 Site create); those that `isNot` are left out. */
  at(place: Place, isNot: (by: T) => boolean = () => false): T | null {
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

function cellOf({ latitude, longitude }: Place): [number, number] {
  const cell = (degrees: number) => Math.floor(Math.round(degrees * 1e6) / CELL);
  return [cell(latitude), cell(longitude)];
}

/** The cells of longitude go around the earth. */
function keyOf(north: number, east: number): string {
  return `${north} ${((east % CELLS_AROUND) + CELLS_AROUND) % CELLS_AROUND}`;
}
