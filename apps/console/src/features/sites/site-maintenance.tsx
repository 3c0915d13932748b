import { Anchor } from "@mantine/core";
import type { Site } from "@suncrew/contract/sites/sites.ts";
import { Fragment } from "react";
import { MaintenanceLink } from "../partners/public.ts";
import { typedContactOf } from "./site-contact.ts";

/** Who maintains a site: its partner, which opens the partner's details, or the contact typed for it. */
export function SiteMaintenance({ site }: { site: Site }) {
  if (site.maintenance_partner_id !== null) {
    const name = site.partner_name ?? "Partner details";
    return <MaintenanceLink partnerId={site.maintenance_partner_id} partnerName={name} />;
  }
  const contact = typedContactOf(site);
  if (contact.length === 0) return "Not given";
  return contact.map(({ text, href }, index) => (
    <Fragment key={text}>
      {index > 0 && ", "}
      {href === null ? (
        text
      ) : (
        <Anchor href={href} inherit underline="always">
          {text}
        </Anchor>
      )}
    </Fragment>
  ));
}
