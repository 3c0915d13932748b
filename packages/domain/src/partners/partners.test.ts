import { describe, expect, test } from "vitest";
import { certificationsAsText, certificationsOf, usernameFor } from "./partners.ts";

test.each([
  [null, []],
  [" ", []],
  ["ISO 9001", ["ISO 9001"]],
  [" ISO 9001 ,, MNRE ", ["ISO 9001", "MNRE"]],
])("§5 Partner: the certifications %j", (text, list) => {
  expect(certificationsOf(text)).toEqual(list);
  expect(certificationsOf(certificationsAsText(list))).toEqual(list);
});

describe("a new partner's username is readable and unique", () => {
  test.each([
    ["SunCare Services Pvt. Ltd.", [], "suncare.services"],
    ["SunCare Services", ["suncare.services", "suncare.services2"], "suncare.services3"],
    ["Ångström & Söhne", [], "angstrom.sohne"],
    ["सौर सेवा", [], "partner"],
    ["The Company", [], "the.company"],
    ["A very-long-name-of-a-company-that-cleans", [], "a.very"],
  ])("%s", (name, taken, username) => {
    expect(usernameFor(name, (each) => taken.includes(each))).toBe(username);
  });
});
