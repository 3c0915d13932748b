import type { Site } from "@suncrew/contract/sites/sites.ts";
import { noEnergyFacts } from "@suncrew/domain/sites/site-energy-facts.ts";
import { describe, expect, it, test } from "vitest";
import { problemsByField } from "../../../platform/form/entity-form.ts";
import { mergeEdits } from "../../../ui/merged-edits.ts";
import {
  duplicatesOf,
  emptySiteForm,
  SITE_FIELDS,
  siteRules,
  placeOf,
  siteBodyOf,
  siteFormOf,
  siteFormProblems,
} from "./site-form.ts";
import type { SiteForm } from "./site-form.ts";

const site: Site = {
  id: 1,
  name: "Bhadla Solar Park",
  address: "Bhadla",
  district: "Jodhpur",
  state: "Rajasthan",
  pin_code: "342301",
  commissioning_date: "2017-02-22",
  maintenance_partner_id: 2,
  maintenance_contact: null,
  maintenance_contact_name: null,
  maintenance_email: null,
  latitude: 27.53,
  longitude: 71.91,
  timezone: "Asia/Kolkata",
  partner_name: "SunCare Services",
  partner_contact: "Asha",
  status: "normal",
  robot_count: 4,
  active_robots: 1,
  online_robots: 3,
  may_be_moving_robots: 0,
  version: 1,
  ...noEnergyFacts,
};
const whole = siteFormOf(site);
const typed = {
  ...whole,
  maintenancePartnerId: null,
  maintenancePartner: "",
  maintenanceContact: "Ravi",
  maintenancePhone: "+91 98 1234",
  maintenanceEmail: "ravi@example.in",
};

describe("§5 Site create: what is required", () => {
  it("takes a site with a partner, or with contact, phone and email", () => {
    expect(siteFormProblems(whole)).toEqual({});
    expect(siteFormProblems(typed)).toEqual({});
  });

  it("reports invisible characters in a text, and opens stored texts without them", () => {
    expect(siteFormProblems({ ...whole, name: "Pa\u202Erk" })).toEqual({
      name: "Site name must not have a character that cannot be seen (U+202E)",
    });
    const opened = siteFormOf({ ...site, name: "Pa\u202Erk", address: "Road 1\nNear the well" });
    expect(opened).toMatchObject({ name: "Park", address: "Road 1 Near the well" });
    expect(siteFormProblems(opened)).toEqual({});
  });

  it("reports every field of an empty form except the partner, for which the three contact fields stand in", () => {
    expect(siteFormProblems(emptySiteForm)).toEqual({
      name: "Site name is required",
      address: "Address is required",
      district: "District is required",
      state: "State is required",
      pinCode: "Pin code is required",
      commissioningDate: "Commissioning date is required",
      lat: "Latitude is required",
      lng: "Longitude is required",
      maintenanceContact: "Contact is required where there is no maintenance partner",
      maintenancePhone: "Phone is required where there is no maintenance partner",
      maintenanceEmail: "Email is required where there is no maintenance partner",
    });
  });

  test.each([
    [{ name: "   " }, { name: "Site name is required" }],
    [{ pinCode: "34230" }, { pinCode: "Pin code must have six digits" }],
    [{ pinCode: "34230A" }, { pinCode: "Pin code must have six digits" }],
    [{ lat: "north" }, { lat: "Latitude must be a number from -90 to 90" }],
    [{ lat: "90.1" }, { lat: "Latitude must be a number from -90 to 90" }],
    [{ lng: "-180.5" }, { lng: "Longitude must be a number from -180 to 180" }],
    [{ lat: " -12.25 ", lng: ".5" }, {}],
  ])("%j: %j", (change, problems) => {
    expect(siteFormProblems({ ...whole, ...change })).toEqual(problems);
  });

  it("requires a valid email address", () => {
    expect(siteFormProblems({ ...typed, maintenanceEmail: "ravi" })).toEqual({
      maintenanceEmail: "Email is not an email address",
    });
  });

  it("shows the server's errors at their fields", () => {
    expect(
      problemsByField(
        [
          { field: "pin_code", message: "must be text" },
          { field: "elsewhere", message: "is wrong" },
        ],
        siteRules,
      ),
    ).toEqual({ pinCode: "Pin code must be text" });
  });
});

describe("Energy facts in the form", () => {
  const known = siteFormOf({
    ...site,
    dc_capacity_kwp: 10_000,
    tilt_degrees: 0,
    tariff_per_kwh: 2.5,
    currency: "INR",
    cleaning_price: 800,
    cleaning_price_per: "run",
  });

  it("opens and sends what is known, and blank for what is not", () => {
    expect(siteFormProblems(known)).toEqual({});
    expect(known).toMatchObject({ dcCapacity: "10000", tilt: "0", azimuth: "", cleaningPricePer: "run" });
    expect(siteBodyOf({ ...known, dcCapacity: " 12.5 ", currency: "", cleaningPricePer: "" })).toMatchObject({
      dc_capacity_kwp: "12.5",
      azimuth_degrees: "",
      currency: "",
      cleaning_price_per: null,
    });
  });

  test.each([
    [{ dcCapacity: "0" }, { dcCapacity: "DC capacity must be a number from 0.001 to 5,000,000" }],
    [{ azimuth: "south" }, { azimuth: "Azimuth must be a number from 0 to 359.99" }],
    [{ tariff: "1", cleaningPrice: "" }, {}],
    [{ currency: "" }, { currency: "Currency is required where there is a tariff and a cleaning price" }],
    [
      { cleaningPricePer: "" },
      { cleaningPricePer: "Price per (run or kWp) is required where there is a cleaning price" },
    ],
  ])("%j: %j", (change, problems) => {
    expect(siteFormProblems({ ...known, ...change })).toEqual(problems);
  });

  it("merges what two people changed, but never a price with another person's currency", () => {
    const tilted = mergeEdits(known, { ...known, tilt: "20" }, { ...known, azimuth: "180" }, siteRules);
    expect([tilted.mine, tilted.collisions]).toEqual([{ ...known, tilt: "20", azimuth: "180" }, []]);
    const paid = mergeEdits(known, { ...known, cleaningPrice: "9" }, { ...known, currency: "EUR" }, siteRules);
    expect(paid.collisions).toEqual(["currency", "cleaningPrice"]);
    expect(siteRules.isSame({ ...known, tilt: "0.0", tariff: "2.50" }, known, "tariff")).toBe(true);
    expect(siteRules.textOf(known, "cleaningPricePer")).toBe("Run of a robot");
  });
});

describe("§5 Site create: duplicates", () => {
  const sites = [site, { ...site, id: 2, name: "Rewa", latitude: 24.5, longitude: 81.5 }];
  test.each([
    [{ name: " rEWA " }, null, ["name", "place"]],
    [{ name: " rEWA " }, 1, ["name"]],
    [{ lat: "24.50009", lng: "81.50009" }, 1, ["place"]],
    [{ lat: "24.5001", lng: "81.5" }, 1, []],
    [{}, 1, []],
    [{ lat: "", lng: "" }, null, ["name"]],
  ])("%j as site %s: %j", (change, ownId, found) => {
    expect(duplicatesOf({ ...whole, ...change }, sites, ownId)).toEqual(found);
  });
});

describe("§5 Site edit: something changed", () => {
  const differing = (one: SiteForm, other: SiteForm) =>
    SITE_FIELDS.filter((field) => !siteRules.isSame(one, other, field));

  it("compares what would be stored", () => {
    expect(differing(whole, whole)).toEqual([]);
    expect(differing({ ...whole, name: `${site.name} `, lat: "27.5300", lng: "+71.91" }, whole)).toEqual([]);
    // With a partner, contact details typed before do not count.
    expect(differing({ ...whole, maintenancePhone: "123" }, whole)).toEqual([]);
    expect(differing({ ...whole, district: "Phalodi" }, whole)).toEqual(["district"]);
  });

  it("merges what two people changed, each field once, and a partner with its name", () => {
    expect(siteRules.units.flat().toSorted()).toEqual(SITE_FIELDS.toSorted());
    const chosen = { ...whole, maintenancePartnerId: 3, maintenancePartner: "Kiran" };
    const { mine, taken, collisions } = mergeEdits(whole, { ...whole, district: "Phalodi" }, chosen, siteRules);
    expect(mine).toEqual({ ...chosen, district: "Phalodi" });
    expect(taken).toEqual(["maintenancePartnerId"]);
    expect(collisions).toEqual([]);
    expect(siteRules.textOf(chosen, "maintenancePartnerId")).toBe("Kiran");
  });

  it("never stores half of a location or of a contact that another person chose", () => {
    const moved = mergeEdits(whole, { ...whole, lat: "27.6" }, { ...whole, lng: "72" }, siteRules);
    expect(moved.collisions).toEqual(["lat", "lng"]);
    const own = { ...whole, maintenancePartnerId: null, maintenancePhone: "1", maintenanceContact: "A" };
    const called = mergeEdits(own, { ...own, maintenancePhone: "2" }, { ...own, maintenanceContact: "B" }, siteRules);
    expect(called.collisions).toEqual(["maintenanceContact", "maintenancePhone"]);
  });
});

it("§7 sites/create: with a partner no typed contact is sent", () => {
  expect(siteBodyOf({ ...typed, maintenancePartnerId: 2 })).toMatchObject({
    maintenance_partner_id: 2,
    maintenance_contact: null,
    maintenance_contact_name: null,
    maintenance_email: null,
  });
  expect(siteBodyOf(typed)).toMatchObject({ maintenance_partner_id: null, maintenance_contact: "+91 98 1234" });
});

it("has a location once both numbers are valid", () => {
  expect(placeOf({ lat: "27.5", lng: "" })).toBeNull();
  expect(placeOf({ lat: "27.5", lng: "71" })).toEqual({ latitude: 27.5, longitude: 71 });
});
