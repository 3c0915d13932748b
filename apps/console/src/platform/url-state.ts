import { dateSchema, SEARCH_MAX } from "@suncrew/contract/http/values.ts";
import { EARLIEST_DAY } from "../ui/days.ts";

/** How one value is represented in the URL's parameters. */
export interface UrlParam<Value> {
  readonly name: string;
  /** The parameter's value; the default if it is missing or invalid. */
  readonly parse: (text: string) => Value;
  /** Empty for the default, which is left out. */
  readonly format: (value: Value) => string;
}

/** A page's state in its URL: a parameter for each value. */
export type UrlSchema<State> = { readonly [Key in keyof State]: UrlParam<State[Key]> };

export function textParam(name: string, maxLength = SEARCH_MAX): UrlParam<string> {
  return { name, parse: (text) => text.slice(0, maxLength), format: (value) => value };
}

/** The id of a row; null for none. */
export function idParam(name: string): UrlParam<number | null> {
  const isId = (text: string) => /^[1-9]\d{0,9}$/.test(text) && Number(text) <= 2_147_483_647;
  return { name, parse: (text) => (isId(text) ? Number(text) : null), format: (value) => String(value ?? "") };
}

/** A day, `YYYY-MM-DD`; null for none. */
export function dayParam(name: string): UrlParam<string | null> {
  const isDay = (text: string) => dateSchema.safeParse(text).success && text >= EARLIEST_DAY;
  return { name, parse: (text) => (isDay(text) ? text : null), format: (value) => value ?? "" };
}

/** One of a few values, by their names in the URL; the fallback is left out. */
export function choiceParam<Value, Fallback>(
  name: string,
  values: Readonly<Record<string, Value>>,
  fallback: Fallback,
): UrlParam<Value | Fallback> {
  return {
    name,
    parse: (text) => (Object.hasOwn(values, text) ? (values[text] ?? fallback) : fallback),
    format: (value) =>
      value === fallback ? "" : (Object.entries(values).find(([, one]) => Object.is(one, value))?.[0] ?? ""),
  };
}

/** Values with the same name in the URL. */
export function sameNames<Value extends string>(values: readonly Value[]): Readonly<Record<Value, Value>> {
  return Object.fromEntries(values.map((value) => [value, value])) as Record<Value, Value>;
}

function paramsOf<State>(schema: UrlSchema<State>): [keyof State, UrlParam<State[keyof State]>][] {
  return Object.entries(schema) as [keyof State, UrlParam<State[keyof State]>][];
}

export function readUrl<State>(schema: UrlSchema<State>, params: URLSearchParams): State {
  const values = paramsOf(schema).map(([key, { name, parse }]) => [key, parse(params.get(name) ?? "")]);
  return Object.fromEntries(values) as State;
}

/** The parameters with a change of the state; defaults are left out, and parameters outside the schema stay. */
export function writeUrl<State>(
  schema: UrlSchema<State>,
  params: URLSearchParams,
  change: Partial<State>,
): URLSearchParams {
  const next = new URLSearchParams(params);
  for (const [key, { name, format }] of paramsOf(schema)) {
    if (!Object.hasOwn(change, key)) continue;
    const text = format(change[key] as State[keyof State]);
    if (text === "") next.delete(name);
    else next.set(name, text);
  }
  return next;
}

/** The parameters without those of the schema. */
export function clearUrl<State>(schema: UrlSchema<State>, params: URLSearchParams): URLSearchParams {
  const next = new URLSearchParams(params);
  for (const [, { name }] of paramsOf(schema)) next.delete(name);
  return next;
}
