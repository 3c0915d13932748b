/** A limit of a site that its weather passed. Stored, so what it says is kept for good. */
export type PassedLimit = {
  /**
   * NO_SENSOR: the site's weather sensor is missing or silent, NO_INSTRUMENT: it lacks one that a limit needs; the site
   * takes both for a limit that is passed.
   */
  readonly what: "GUST" | "RAIN" | "COLD" | "HEAT" | "NO_SENSOR" | "NO_INSTRUMENT";
  /** In the unit of the limit: km/h, mm within an hour, °C, or seconds without a reading. */
  readonly value: number;
  readonly limit: number;
  readonly source: "FORECAST" | "SENSOR";
};

const number = (value: number): string => value.toLocaleString("en-GB", { maximumFractionDigits: 1 });

const phrases: Readonly<Record<PassedLimit["what"], (value: string, limit: string) => string>> = {
  GUST: (value, limit) => `gusts of ${value} km/h (limit ${limit} km/h)`,
  RAIN: (value, limit) => `${value} mm of rain within an hour (limit ${limit} mm)`,
  COLD: (value, limit) => `${value} °C (not below ${limit} °C)`,
  HEAT: (value, limit) => `${value} °C (not above ${limit} °C)`,
  NO_SENSOR: (_, limit) => `there is no reading of the site's weather sensor within ${limit} seconds`,
  NO_INSTRUMENT: () => "the site's weather sensor does not measure all that has a limit",
};

/** "gusts of 62 km/h (limit 45 km/h) are forecast", as part of a sentence. */
export function passedPhrase({ what, value, limit, source }: PassedLimit): string {
  const phrase = phrases[what](number(value), number(limit));
  if (what === "NO_SENSOR" || what === "NO_INSTRUMENT") return phrase;
  const verb = what === "GUST" ? "are" : "is";
  return `${phrase} ${verb} ${source === "FORECAST" ? "forecast" : "measured"}`;
}
