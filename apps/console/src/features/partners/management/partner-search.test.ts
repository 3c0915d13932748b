import { expect, test } from "vitest";
import { searchPartners } from "./partner-search.ts";

const suncare = {
  name: "SunCare Services",
  contact_person: "Asha Rathore",
  email: "asha@suncare.example",
  contact_info: "+91 98290 41276",
  city: "Jodhpur",
  state: "Rajasthan",
  registration: "U40106RJ2016PTC049871",
  username: "suncare.services",
};
const inHouse = {
  name: "In-house",
  contact_person: null,
  email: null,
  contact_info: null,
  city: null,
  state: null,
  registration: null,
  username: null,
};

test.each([
  ["", ["SunCare Services", "In-house"]],
  ["  ", ["SunCare Services", "In-house"]],
  ["SUNCARE", ["SunCare Services"]],
  ["rathore", ["SunCare Services"]],
  ["asha@", ["SunCare Services"]],
  ["jodhpur", ["SunCare Services"]],
  ["rajas", ["SunCare Services"]],
  ["u40106", ["SunCare Services"]],
  ["suncare.serv", ["SunCare Services"]],
  ["98290 41", ["SunCare Services"]],
  ["9829041276", ["SunCare Services"]],
  ["+91-98290", ["SunCare Services"]],
  ["house", ["In-house"]],
  ["(", []],
  ["nobody", []],
])("§2 Partner Management page, search box: %j", (words, found) => {
  expect(searchPartners([suncare, inHouse], words).map(({ name }) => name)).toEqual(found);
});
