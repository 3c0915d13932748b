import type { Partner } from "@suncrew/contract/partners/partners.ts";
import { readCsv } from "@suncrew/domain/csv/csv.ts";
import { expect, test } from "vitest";
import { certificationsOf, partnerFactsOf, partnersFile, partnersFound, searchPartners } from "./partner-model.ts";

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

test("§9 CSV exports: the columns of maintenance_partners.csv, phone numbers unchanged, no formula", () => {
  const text = partnersFile([
    {
      id: 2,
      name: "=सौर सेवा",
      contact_person: null,
      contact_info: "+91 98290 41276",
      email: "asha@suncare.example",
      address: "not in the file",
      city: "Jodhpur",
      state: "Rajasthan",
      zip_code: "342003",
      country: "INDIA",
      tax_id: null,
      registration: "U40106",
      certifications: "ISO 9001",
      status: "ACTIVE",
      created_at: "2025-01-05T08:00:00.000Z",
      username: "suncare.services",
      user_id: 3,
      enc_password: "never-in-a-file",
      built_in: false,
      version: 1,
    },
  ]);
  expect(text.split("\r\n")).toEqual([
    '\uFEFF"Name","Contact Person","Email","Phone","City","State","Registration","Username"',
    `"'=सौर सेवा","","asha@suncare.example","+91 98290 41276","Jodhpur","Rajasthan","U40106","suncare.services"`,
    "",
  ]);
  expect(readCsv(text, 10).rows[0]?.cells["phone"]).toBe("+91 98290 41276");
});

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

const partner: Partner = {
  id: 2,
  name: "SunCare Services",
  contact_person: "Asha Rao",
  contact_info: "+91 98450 12345",
  email: "asha@suncare.example",
  address: "12 MG Road",
  city: "Bengaluru",
  state: "Karnataka",
  zip_code: "560001",
  country: "INDIA",
  tax_id: null,
  registration: "U40106KA2015PTC081234",
  certifications: "ISO 9001, , MNRE ,",
  status: "ACTIVE",
  created_at: "2025-01-05T08:00:00.000Z",
  username: null,
  user_id: null,
  built_in: false,
  version: 1,
};

test("§2 Partner details dialog: its facts in order, three of them to copy", () => {
  const facts = partnerFactsOf(partner);
  expect(facts.map((fact) => fact.term)).toEqual([
    "Contact person",
    "Email",
    "Phone",
    "Address",
    "Company registration",
    "Tax ID",
    "Created",
  ]);
  expect(facts.map((fact) => fact.copyAs).filter((what) => what !== undefined)).toEqual([
    "Contact name",
    "Email",
    "Phone number",
  ]);
  expect(facts[3]?.text).toBe("12 MG Road, Bengaluru, Karnataka, 560001, INDIA");
  expect(facts[5]?.text).toBe("Not given");
});

test("§2 Partner details dialog: empty values offer nothing to copy", () => {
  const facts = partnerFactsOf({ ...partner, email: " ", contact_person: null });
  expect(facts[0]).toEqual({ term: "Contact person", text: "Not given" });
  expect(facts[1]).toEqual({ term: "Email", text: "Not given" });
});

test("§3 Maintenance partner: certifications are a list, trimmed, without empty entries", () => {
  expect(certificationsOf(partner)).toEqual(["ISO 9001", "MNRE"]);
  expect(certificationsOf({ ...partner, certifications: null })).toEqual([]);
});
