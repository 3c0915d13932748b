/** Where a key moves to in a list of `count` items in `columns` columns; null if the key has no meaning here. */
export function stepFrom(key: string, from: number, count: number, columns: number): number | null {
  const steps: Readonly<Record<string, number>> = {
    ArrowRight: from + 1,
    ArrowLeft: from - 1,
    ArrowDown: from + columns,
    ArrowUp: from - columns,
    Home: 0,
    End: count - 1,
  };
  const to = Object.hasOwn(steps, key) ? steps[key] : undefined;
  if (to === undefined) return null;
  return to >= 0 && to < count ? to : from;
}

export interface RowPart {
  readonly row: number;
  /** The index of the row's button. */
  readonly part: number;
}

/** Where a key moves to in rows that each have some buttons: up and down by rows, left and right within one. */
export function rowStepFrom(key: string, from: RowPart, count: { rows: number; parts: number }): RowPart | null {
  if (key === "ArrowLeft" || key === "ArrowRight") {
    const part = stepFrom(key, from.part, count.parts, 1);
    return part === null ? null : { ...from, part };
  }
  const row = stepFrom(key, from.row, count.rows, 1);
  return row === null ? null : { ...from, row };
}
