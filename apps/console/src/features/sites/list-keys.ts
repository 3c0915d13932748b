/** Where a key leads to in a list of `count` things in `columns` columns; null where the key means nothing here. */
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
