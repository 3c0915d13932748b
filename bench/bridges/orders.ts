/** `retain`: each robot's connection and state. `live`: a state of one robot after another, so many a second. */
export type Order =
  | { readonly do: "retain" }
  | { readonly do: "live"; readonly perSecond: number; readonly seconds: number };

export const SESSION = 1_760_000_000;

export const serialOf = (index: number): string => `WIDE-${index + 1}`;
