import { expect, test } from "vitest";
import { internationalPhone } from "./phone-number.ts";

test.each([
  ["+91 98450 12345", "INDIA", "+919845012345"],
  ["+91 98450 12345", null, "+919845012345"],
  ["+1 (212) 555-0187", "INDIA", "+12125550187"],
  ["0091 98450 12345", "USA", "+919845012345"],
  ["00 44 20 7946 0018", "", "+442079460018"],
  ["98450 12345", "INDIA", "+919845012345"],
  ["98450-12345", "India", "+919845012345"],
  ["098450 12345", "india ", "+919845012345"],
  ["91 98450 12345", "Bharat", "+919845012345"],
  ["९८४५० १२३४५", "INDIA", "+919845012345"],
  ["(080) 2345 6789", "IN", "+918023456789"],
  ["212-555-0187", "USA", "+12125550187"],
  ["1-212-555-0187", "U.S.A.", "+12125550187"],
  ["(212) 555-0187", "United States", "+12125550187"],
  ["020 7946 0018", "United Kingdom", "+442079460018"],
  ["050 123 4567", "UAE", "+971501234567"],
  ["06 1234 5678", "Italy", "+390612345678"],
  ["98450 12345 (office)", "INDIA", "+919845012345"],
])("§2 Share Login Credentials: %j in %j is called by %s", (written, country, e164) => {
  expect(internationalPhone(written, country)).toEqual({ e164, problem: null });
});

test.each([
  [null, "INDIA", "No phone number is given."],
  ["  ", "INDIA", "No phone number is given."],
  [
    "98450 12345",
    "Atlantis",
    'The phone number has no country code, and the country "Atlantis" is not known. Write it with + and its code.',
  ],
  ["98450 12345", null, "The phone number has no country code, and no country is given. Write it with + and its code."],
  [
    "12",
    "INDIA",
    '"12" is not a phone number of INDIA. Write it in full, with + and its country code, or change the country.',
  ],
  [
    "098290 55667",
    "USA",
    '"098290 55667" is not a phone number of USA. Write it as +91 98290 55667, or change the country.',
  ],
  [
    "०९८२९० ५५६६७",
    "USA",
    '"०९८२९० ५५६६७" is not a phone number of USA. Write it as +91 98290 55667, or change the country.',
  ],
  ["+91 98450", "INDIA", '"+91 98450" is not a whole phone number.'],
  ["+999 98450 12345", "INDIA", '"+999 98450 12345" is not a whole phone number.'],
  [
    "ask the office",
    "INDIA",
    '"ask the office" is not a phone number of INDIA. Write it in full, with + and its country code, or change the country.',
  ],
])("§2 Share Login Credentials: %j in %j cannot be called, and why", (written, country, problem) => {
  expect(internationalPhone(written, country)).toEqual({ e164: null, problem });
});
