import type { SiteStatus } from "@suncrew/contract/sites/sites.ts";
import { describe, expect, test } from "vitest";
import { orderSites, searchManagedSites, searchSites, typedContactOf, worstSite } from "./site-model.ts";

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

test("§2 Detail panel: a site without a partner shows its typed contact, phone and email as links", () => {
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

test("§2 Search sites: the state finds a site, too", () => {
  const inStates = sites.map((site, index) => ({
    ...site,
    state: ["Rajasthan", "Karnataka", "Tamil Nadu"][index] ?? "",
  }));
  expect(searchSites(inStates, "karna").map(({ name }) => name)).toEqual(["Pavagada Solar Park"]);
});

describe("site list: order", () => {
  const site = (id: number, status: "normal" | "warning" | "fault" | "standby", more = {}) => {
    return { id, status, robot_count: 4, online_robots: 4, may_be_moving_robots: 0, ...more };
  };
  const listed = [
    site(1, "normal"),
    site(2, "standby"),
    site(3, "warning"),
    site(4, "fault"),
    site(5, "warning", { online_robots: 2 }),
    site(6, "normal", { may_be_moving_robots: 1 }),
  ];
  const ids = (order: "listed" | "worst", favourites: number[] = []) =>
    orderSites(listed, order, new Set(favourites)).map(({ id }) => id);

  test("as listed, or the worst first: perhaps moving, then by status, then by how many robots are away", () => {
    expect(ids("listed")).toEqual([1, 2, 3, 4, 5, 6]);
    expect(ids("worst")).toEqual([6, 4, 5, 3, 1, 2]);
  });

  test("favourites come first in either order", () => {
    expect(ids("listed", [5, 2])).toEqual([2, 5, 1, 3, 4, 6]);
    expect(ids("worst", [5, 2])).toEqual([5, 2, 6, 4, 3, 1]);
  });
});
