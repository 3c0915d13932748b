import type { Partner } from "@suncrew/contract/partners/partners.ts";
import { describe, expect, test } from "vitest";
import { problemsByField, saveBlockedReason } from "../../../platform/form/entity-form.ts";
import {
  PARTNER_FIELDS,
  bodyOf,
  draftOf,
  emptyDraft,
  partnerFieldNames,
  partnerProblems,
  partnerRules,
} from "./partner-form.ts";
import type { PartnerDraft } from "./partner-form.ts";

const partner: Partner = {
  id: 2,
  name: "SunCare Services",
  contact_person: "Asha Rathore",
  contact_info: "+91 98290 41276",
  email: "asha@suncare.example",
  address: "14 Residency Road",
  city: "Jodhpur",
  state: "Rajasthan",
  zip_code: "342003",
  country: null,
  tax_id: null,
  registration: null,
  certifications: "ISO 9001, MNRE",
  status: "ACTIVE",
  created_at: "2025-01-05T08:00:00.000Z",
  username: "suncare.services",
  user_id: 3,
  built_in: false,
  version: 1,
};
const whole = draftOf(partner);

describe("§5 Partner add/edit", () => {
  test("a new partner defaults to USA; a stored one without a country shows INDIA", () => {
    expect(emptyDraft.country).toBe("USA");
    expect(whole.country).toBe("INDIA");
    expect(draftOf({ ...partner, country: "NEPAL" }).country).toBe("NEPAL");
    expect(draftOf({ ...partner, city: "Jodh\u202Epur" }).city).toBe("Jodhpur");
  });

  test("each required field has its own message, even when blank; the others may be empty", () => {
    const blank: PartnerDraft = { ...emptyDraft, name: "  ", country: " " };
    expect(partnerProblems(blank)).toEqual({
      name: "Company name is required",
      contact_person: "Contact person is required",
      email: "Email is required",
      contact_info: "Phone is required",
      address: "Address is required",
      city: "City is required",
      state: "State is required",
      zip_code: "Zip code is required",
      country: "Country is required",
    });
    expect(partnerFieldNames[0]).toBe("name");
    const required = Object.entries(PARTNER_FIELDS).filter(([, { required: is }]) => is);
    expect(required.map(([field]) => field).toSorted()).toEqual(Object.keys(partnerProblems(blank)).toSorted());
    expect(partnerProblems(whole)).toEqual({});
  });

  test("an email address must be valid", () => {
    expect(partnerProblems({ ...whole, email: "asha" })).toEqual({ email: "Email is not an email address" });
  });

  test("what is sent is trimmed, and certifications are a list", () => {
    const body = bodyOf({ ...whole, name: " SunCare ", certifications: " ISO 9001 ,, MNRE ,", tax_id: " " });
    expect(body).toMatchObject({ name: "SunCare", certifications: "ISO 9001, MNRE", tax_id: "", status: "ACTIVE" });
  });

  test("Save says why it is disabled", () => {
    const blockedReason = (draft: PartnerDraft, original: PartnerDraft | null) =>
      saveBlockedReason(draft, original, partnerProblems(draft), partnerRules);
    expect(blockedReason(emptyDraft, null)).toBe(
      "Still missing or wrong: Company name, Contact person, Email, Phone, Address, City, State, Zip code.",
    );
    expect(blockedReason({ ...whole, city: "" }, whole)).toBe("City is required");
    expect(blockedReason(whole, null)).toBeNull();
    expect(blockedReason({ ...whole, name: `${whole.name} `, certifications: "ISO 9001,MNRE" }, whole)).toBe(
      "Nothing has been changed.",
    );
    expect(blockedReason({ ...whole, city: "Bikaner" }, whole)).toBeNull();
  });

  test("what somebody else saved differently is named by its label", () => {
    const theirs = { ...whole, name: `${whole.name} `, city: "Bikaner" };
    expect(partnerFieldNames.filter((field) => !partnerRules.isSame(whole, theirs, field))).toEqual(["city"]);
    expect(partnerRules.labelOf("city")).toBe("City");
    expect(partnerRules.textOf(theirs, "city")).toBe("Bikaner");
    expect(partnerRules.units.flat()).toEqual(partnerFieldNames);
  });

  test("the server's errors are shown at their fields", () => {
    expect(
      problemsByField(
        [
          { field: "name", message: "is taken" },
          { field: "version", message: "is old" },
        ],
        partnerRules,
      ),
    ).toEqual({ name: "Company name is taken" });
  });
});
