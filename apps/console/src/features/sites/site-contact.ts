import type { Site } from "@suncrew/contract/sites/sites.ts";

export interface ContactPart {
  readonly text: string;
  readonly href: string | null;
}

type TypedContact = Pick<Site, "maintenance_contact_name" | "maintenance_contact" | "maintenance_email">;

/** The contact typed for a site without a partner: name, phone (§7 calls it maintenance_contact) and e-mail. */
export function typedContactOf(site: TypedContact): readonly ContactPart[] {
  const parts = [
    { text: site.maintenance_contact_name, scheme: null },
    { text: site.maintenance_contact, scheme: "tel:" },
    { text: site.maintenance_email, scheme: "mailto:" },
  ];
  return parts.flatMap(({ text, scheme }) => {
    const shown = text?.trim() ?? "";
    if (shown === "") return [];
    const address = scheme === "tel:" ? shown.replace(/[^\d+]/g, "") : encodeURIComponent(shown);
    return [{ text: shown, href: scheme === null ? null : scheme + address }];
  });
}
