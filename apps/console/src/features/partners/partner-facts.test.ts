import type { Partner } from "@suncrew/contract/partners/partners.ts";
import { expect, test } from "vitest";
import { certificationsOf, partnerFactsOf } from "./partner-facts.ts";

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

test("§2 Partner details dialog: nothing is offered to copy where nothing is given", () => {
  const facts = partnerFactsOf({ ...partner, email: " ", contact_person: null });
  expect(facts[0]).toEqual({ term: "Contact person", text: "Not given" });
  expect(facts[1]).toEqual({ term: "Email", text: "Not given" });
});

test("§3 Maintenance partner: certifications are a list, trimmed, without empty ones", () => {
  expect(certificationsOf(partner)).toEqual(["ISO 9001", "MNRE"]);
  expect(certificationsOf({ ...partner, certifications: null })).toEqual([]);
});
