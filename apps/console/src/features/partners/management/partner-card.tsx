import { Box, Group, Tooltip, VisuallyHidden } from "@mantine/core";
import type { Partner } from "@suncrew/contract/partners/partners.ts";
import { certificationsOf } from "@suncrew/domain/partners/partners.ts";
import { IconPencil, IconShare3, IconTrash } from "@tabler/icons-react";
import { Fragment, type ReactNode } from "react";
import { DisabledReason } from "../../../ui/disabled-reason.tsx";
import { shareBlockedReason } from "../credentials/credentials.ts";
import shared from "../../../ui/shared.module.css";
import classes from "./partner-card.module.css";
import { ToolButton } from "../../../ui/tool-button.tsx";
import type { OpenDialog } from "./partners-page.tsx";

/** §9: partner cards show up to 2 certifications. */
const CERTIFICATIONS_SHOWN = 2;

/** §2 Partner Management page: one partner, with its buttons. */
export function PartnerCard({ partner, onOpen }: { partner: Partner; onOpen: (open: OpenDialog) => void }) {
  const place = [partner.city, partner.state].filter((part) => part !== null && part !== "").join(", ");
  return (
    <article className={`${shared["card"]} ${classes["card"]}`} aria-label={partner.name}>
      <Group gap={8} align="flex-start" justify="space-between" wrap="nowrap">
        <Box component="h3" miw={0} fz={14} fw={650} lh="20px" style={{ overflowWrap: "anywhere" }}>
          {partner.name}
        </Box>
        {partner.built_in && <span className={`${shared["muted"]} ${classes["builtIn"]}`}>Built in</span>}
      </Group>
      <dl className={`${shared["facts"]} ${classes["facts"]}`}>
        <Fact term="Contact" text={partner.contact_person} />
        <Fact term="Email" text={partner.email} />
        <Fact term="Phone" text={partner.contact_info} />
        <Fact term="City, state" text={place} />
        <Fact term="Registration" text={partner.registration} />
        <Fact term="Username" text={partner.username} without={partner.built_in ? "No sign-in" : "No sign-in yet"} />
      </dl>
      <Certifications names={certificationsOf(partner.certifications)} />
      <div className={`${shared["touchAll"]} ${classes["actions"]}`}>
        <DisabledReason reason={shareBlockedReason(partner)}>
          <ToolButton
            icon={IconShare3}
            variant="light"
            aria-haspopup="dialog"
            onClick={() => onOpen({ kind: "share", partnerId: partner.id, created: null })}
          >
            Share credentials
          </ToolButton>
        </DisabledReason>
        <span className={classes["edits"]}>
          <ToolButton icon={IconPencil} aria-haspopup="dialog" onClick={() => onOpen({ kind: "edit", partner })}>
            Edit
          </ToolButton>
          <DisabledReason reason={partner.built_in ? "In-house is built in and cannot be deleted." : null}>
            <ToolButton icon={IconTrash} aria-haspopup="dialog" onClick={() => onOpen({ kind: "delete", partner })}>
              Delete
            </ToolButton>
          </DisabledReason>
        </span>
      </div>
    </article>
  );
}

function Fact({ term, text, without = "Not given" }: { term: string; text: string | null; without?: string }) {
  const isGiven = text !== null && text.trim() !== "";
  return (
    <>
      <dt>{term}</dt>
      <dd className={isGiven ? undefined : classes["none"]}>{isGiven ? breakable(text) : without}</dd>
    </>
  );
}

/** A long email address breaks where its parts meet. */
function breakable(text: string): ReactNode {
  const [first, ...parts] = text.split(/(?<=@)|(?=\.)/);
  return [
    first,
    ...parts.map((part, index) => (
      // oxlint-disable-next-line react/no-array-index-key -- the parts of one text never change places
      <Fragment key={index}>
        <wbr />
        {part}
      </Fragment>
    )),
  ];
}

function Certifications({ names }: { names: readonly string[] }) {
  const more = names.slice(CERTIFICATIONS_SHOWN);
  return (
    <ul className={`${shared["chips"]} ${classes["certifications"]}`} aria-label="Certifications">
      {names.length === 0 && <li className={classes["none"]}>No certifications</li>}
      {names.slice(0, CERTIFICATIONS_SHOWN).map((name) => (
        <li key={name}>{name}</li>
      ))}
      {more.length > 0 && (
        <li className={classes["more"]}>
          <Tooltip label={more.join(", ")} multiline maw={320}>
            {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- the keyboard reaches the other names */}
            <span tabIndex={0}>
              +{more.length}
              <VisuallyHidden> more: {more.join(", ")}</VisuallyHidden>
            </span>
          </Tooltip>
        </li>
      )}
    </ul>
  );
}
