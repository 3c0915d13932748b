import tzLookup from "@photostructure/tz-lookup";

/** IANA zone of a place; latitude and longitude in decimal degrees. */
export function timezoneAt(latitude: number, longitude: number): string {
  return tzLookup(latitude, longitude);
}
