import { expect, test } from "vitest";
import { partnersFound } from "./partners-found.ts";

const partners = [
  { name: "SunCare Services", contact_person: "Asha Rao", city: "Jodhpur" },
  { name: "Kiran Solar", contact_person: null, city: null },
];

test.each([
  ["", ["SunCare Services", "Kiran Solar"]],
  [" asha ", ["SunCare Services"]],
  ["JODH", ["SunCare Services"]],
  ["solar", ["Kiran Solar"]],
  ["nobody", []],
])("§2 Select Maintenance Partner: %j finds %j", (words, names) => {
  expect(partnersFound(partners, words).map(({ name }) => name)).toEqual(names);
});
