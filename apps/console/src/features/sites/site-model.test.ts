import type { SiteStatus } from "@suncrew/contract/sites/sites.ts";
import { expect, test } from "vitest";
import { searchManagedSites, searchSites, typedContactOf, worstSite } from "./site-model.ts";

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

test("§2 Detail panel: a site without a partner shows its typed contact, phone and e-mail as links", () => {
  expect(
    typedContactOf({
      maintenance_contact_name: "Ravi Kumar",
      maintenance_contact: "+91 98450 12345",
      maintenance_email: "ravi@site.example",
    }),
  ).toEqual([
    { text: "Ravi Kumar", href: null },
    { text: "+91 98450 12345", href: "tel:+919845012345" },
    { text: "ravi@site.example", href: "mailto:ravi%40site.example" },
  ]);
});

test("§2 Detail panel: contact details that were not typed are left out", () => {
  const contact = { maintenance_contact_name: null, maintenance_contact: " ", maintenance_email: null };
  expect(typedContactOf(contact)).toEqual([]);
});

test("the worst site is the first of those with the worst status; idle and cleaning are equally well", () => {
  const sites = (...statuses: SiteStatus[]) => statuses.map((status, index) => ({ id: index, status }));
  expect(worstSite(sites("normal", "warning", "fault", "fault"))).toMatchObject({ id: 2 });
  expect(worstSite(sites("normal", "standby"))).toMatchObject({ id: 0 });
  expect(worstSite([])).toBeNull();
});
