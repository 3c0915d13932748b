/** A limit of a site that its weather passed. Stored, so what it says is kept for good. */
export type PassedLimit = {
  readonly what: "GUST" | "RAIN" | "COLD" | "HEAT";
  /** In the unit of the limit: km/h, mm within an hour, or °C. */
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
};

/** "gusts of 62 km/h (limit 45 km/h) are forecast", as part of a sentence. */
export function passedPhrase({ what, value, limit, source }: PassedLimit): string {
  const verb = what === "GUST" ? "are" : "is";
  return `${phrases[what](number(value), number(limit))} ${verb} ${source === "FORECAST" ? "forecast" : "measured"}`;
}
