import { getCountries, parsePhoneNumberFromString } from "libphonenumber-js/min";
import type { CountryCode } from "libphonenumber-js/min";

/** `e164` is a number that can be called from anywhere in the world; if there is none, `problem` says why. */
export type InternationalPhone =
  | { readonly e164: string; readonly problem: null }
  | { readonly e164: null; readonly problem: string };

/** Names of a country besides its English name and its two-letter code. */
const OTHER_NAMES: Readonly<Record<string, CountryCode>> = {
  america: "US",
  bharat: "IN",
  britain: "GB",
  greatbritain: "GB",
  ind: "IN",
  uae: "AE",
  uk: "GB",
  unitedstatesofamerica: "US",
  usa: "US",
};

/** Ignoring case, accents, spaces and dots: U.S.A. is usa. */
function countryKey(name: string): string {
  return name
    .normalize("NFKD")
    .toLowerCase()
    .replaceAll(/[^\p{L}]/gu, "");
}

/** Devanagari digits, which the library does not parse. */
function latinDigits(text: string): string {
  return text.replaceAll(/[०-९]/g, (digit) => String(digit.charCodeAt(0) - 0x09_66));
}

let countries: ReadonlyMap<string, CountryCode> | undefined;

function countriesByKey(): ReadonlyMap<string, CountryCode> {
  const english = new Intl.DisplayNames(["en"], { type: "region" });
  return new Map<string, CountryCode>([
    ...getCountries().flatMap((code): [string, CountryCode][] => [
      [countryKey(code), code],
      [countryKey(english.of(code) ?? code), code],
    ]),
    ...Object.entries(OTHER_NAMES),
  ]);
}

/**
 * A number as people write it, converted to the form that works from every country (E.164: a plus sign and digits).
 * With + or 00 it contains its country code; a national number gets that of `country`, such as INDIA or USA, and loses
 * its leading 0.
 */
export function internationalPhone(text: string | null, country: string | null): InternationalPhone {
  const written = (text ?? "").trim();
  if (written === "") return { e164: null, problem: "No phone number is given." };
  const isInternational = /^(?:\+|00)/.test(written);
  const place = (country ?? "").trim();
  countries ??= countriesByKey();
  const code = countries.get(countryKey(place));
  if (!isInternational && code === undefined) {
    const why = place === "" ? "no country is given" : `the country "${place}" is not known`;
    return { e164: null, problem: `The phone number has no country code, and ${why}. Write it with + and its code.` };
  }
  const found = parsePhoneNumberFromString(
    latinDigits(written).replace(/^00/, "+"),
    isInternational ? undefined : code,
  );
  // Only the length is checked: new number ranges are assigned every year.
  if (found === undefined || !found.isPossible()) {
    return { e164: null, problem: incompleteText(written, isInternational ? null : place) };
  }
  return { e164: found.number, problem: null };
}

/** Most partners are in India: a number that is complete there is suggested in international format. */
const HOME = "IN";

/** `place` is the country that the number was parsed for; null if it contains its country code. */
function incompleteText(written: string, place: string | null): string {
  if (place === null) return `"${written}" is not a whole phone number.`;
  const atHome = parsePhoneNumberFromString(latinDigits(written), HOME);
  const how =
    countries?.get(countryKey(place)) !== HOME && atHome?.isValid() === true
      ? `as ${atHome.formatInternational()}`
      : "in full, with + and its country code";
  return `"${written}" is not a phone number of ${place}. Write it ${how}, or change the country.`;
}
