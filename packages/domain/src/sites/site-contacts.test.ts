import { describe, expect, test } from "vitest";
import { storedMaintenance, missingContacts } from "./site-contacts.ts";

const typed = {
  maintenance_partner_id: null,
  maintenance_contact_name: "Ravi",
  maintenance_contact: "+91 98765 43210",
  maintenance_email: "ravi@park.example",
};

describe("§5 Site create: a maintenance partner, or all of contact, phone and email", () => {
  test("either is enough", () => {
    expect(missingContacts(typed)).toEqual([]);
    const none = { maintenance_contact_name: null, maintenance_contact: null, maintenance_email: null };
    expect(missingContacts({ maintenance_partner_id: 2, ...none })).toEqual([]);
    expect(missingContacts({ maintenance_partner_id: null, ...none }).map(({ field }) => field)).toEqual([
      "maintenance_contact_name",
      "maintenance_contact",
      "maintenance_email",
    ]);
  });

  test.each(["maintenance_contact_name", "maintenance_contact", "maintenance_email"] as const)(
    "%s alone is missing",
    (field) => {
      for (const empty of [null, ""]) {
        expect(missingContacts({ ...typed, [field]: empty }).map((error) => error.field)).toEqual([field]);
      }
    },
  );

  test("typed contacts are not stored if there is a partner", () => {
    expect(storedMaintenance(typed)).toEqual(typed);
    expect(storedMaintenance({ ...typed, maintenance_partner_id: 2 })).toEqual({
      maintenance_partner_id: 2,
      maintenance_contact_name: null,
      maintenance_contact: null,
      maintenance_email: null,
    });
  });
});
