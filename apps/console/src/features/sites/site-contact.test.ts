import { expect, test } from "vitest";
import { typedContactOf } from "./site-contact.ts";

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

test("§2 Detail panel: what was not typed is left out", () => {
  const contact = { maintenance_contact_name: null, maintenance_contact: " ", maintenance_email: null };
  expect(typedContactOf(contact)).toEqual([]);
});
