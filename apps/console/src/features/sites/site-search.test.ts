import { expect, test } from "vitest";
import { searchManagedSites, searchSites } from "./site-search.ts";

const sites = [
  { name: "Bhadla Solar Park", address: "Bhadla, Phalodi Tehsil" },
  { name: "Pavagada Solar Park", address: "Thirumani village" },
  { name: "Érode Works", address: "Mill Road" },
];
const names = (words: string) => searchSites(sites, words).map((site) => site.name);

test.each([
  ["", ["Bhadla Solar Park", "Pavagada Solar Park", "Érode Works"]],
  ["solar", ["Bhadla Solar Park", "Pavagada Solar Park"]],
  ["BHADLA", ["Bhadla Solar Park"]],
  ["  thirumani ", ["Pavagada Solar Park"]],
  ["érode", ["Érode Works"]],
  ["mill road", ["Érode Works"]],
  ["Karnataka", []],
])("§2 Search sites: '%s' by name or address, case-insensitive", (words, found) => {
  expect(names(words)).toEqual(found);
});

test.each([
  ["JODHPUR", ["Bhadla Solar Park"]],
  ["mill", ["Érode Works"]],
  [" pavagada ", ["Pavagada Solar Park"]],
  ["Rajasthan", []],
])("§2 Site Management: '%s' by name, address or district", (words, found) => {
  const districts = ["Jodhpur", "Tumakuru", "Erode"];
  const managed = sites.map((site, index) => ({ ...site, district: districts[index] ?? "" }));
  expect(searchManagedSites(managed, words).map((site) => site.name)).toEqual(found);
});
