/** Divides a list, in order, into shares of at most `size`: what one call or one transaction takes. */
export function sharesOf<T>(items: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, nth) => items.slice(nth * size, (nth + 1) * size));
}
