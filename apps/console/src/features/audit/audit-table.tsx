import { UnstyledButton } from "@mantine/core";
import type { AuditEntry } from "@suncrew/contract/audit/audit.ts";
import { auditLabel, changesOf } from "@suncrew/domain/audit/audit-changes.ts";
import { IconChevronRight } from "@tabler/icons-react";
import { useId, useState } from "react";
import { browserZone, exactTimeText } from "../../ui/exact-time-text.ts";
import { StateBadge } from "../../ui/state-badge.tsx";
import { outcomeLook } from "./audit-looks.ts";
import shared from "../../ui/shared.module.css";
import classes from "./audit-table.module.css";

interface AuditTableProps {
  readonly entries: readonly AuditEntry[];
  /** The entries are still those of the previous filters. */
  readonly isOld: boolean;
}

/** Changes, newest first. Roles instead of table elements, because on a phone each change is a card. */
export function AuditTable({ entries, isOld }: AuditTableProps) {
  return (
    <div
      role="table"
      aria-label="Changes, newest first"
      aria-busy={isOld}
      className={`${shared["card"]} ${classes["table"]}`}
    >
      <div role="rowgroup">
        <div role="row" className={`${shared["columnNames"]} ${classes["names"]}`}>
          {AUDIT_COLUMNS.map((name) => (
            <span key={name} role="columnheader">
              {name}
              {name === "Time" && ` (${browserZone()})`}
            </span>
          ))}
        </div>
      </div>
      <div role="rowgroup">
        {entries.map((entry) => (
          <AuditRow key={entry.id} entry={entry} />
        ))}
      </div>
    </div>
  );
}

const AUDIT_COLUMNS = ["Time", "Person", "Change", "Target", "Site", "Outcome"] as const;

/** One change: when, who, what, to what, with which outcome; opened, each value before and after, and its seal. */
function AuditRow({ entry }: { readonly entry: AuditEntry }) {
  const [open, setOpen] = useState(false);
  const details = useId();
  const { actor, action, entity, site_name, outcome, reason, at } = entry;
  return (
    <>
      <div role="row" className={classes["row"]}>
        <span role="cell" className={classes["time"]} style={{ "--area": "time" }}>
          <UnstyledButton
            className={classes["toggle"]}
            aria-expanded={open}
            aria-controls={details}
            onClick={() => setOpen((was) => !was)}
          >
            <IconChevronRight size={14} className={classes["chevron"]} data-open={open || undefined} aria-hidden />
            <time dateTime={at} title={`${exactTimeText(new Date(at))} (${browserZone()})`}>
              {exactTimeText(new Date(at))}
            </time>
          </UnstyledButton>
        </span>
        <span role="cell" className={classes["actor"]} style={{ "--area": "actor" }}>
          {actor}
        </span>
        <span role="cell" className={classes["change"]} style={{ "--area": "change" }}>
          {auditLabel(action)}
          {reason !== null && <span className={`${shared["muted"]} ${classes["more"]}`}>{reason}</span>}
        </span>
        <span role="cell" className={classes["target"]} style={{ "--area": "target" }}>
          <Target entry={entry} />
        </span>
        <span role="cell" className={classes["site"]} style={{ "--area": "site" }}>
          {entity !== "site" && site_name}
        </span>
        <span role="cell" style={{ "--area": "outcome" }}>
          <StateBadge look={outcomeLook[outcome]} />
        </span>
      </div>
      <div role="row" id={details} hidden={!open}>
        <div role="cell" aria-colspan={AUDIT_COLUMNS.length} className={classes["details"]}>
          {open && <AuditDetails entry={entry} />}
        </div>
      </div>
    </>
  );
}

/** Its name at the time; if it has no name, its kind. */
function Target({ entry: { entity, entity_id, target_name } }: { readonly entry: AuditEntry }) {
  const kind = auditLabel(entity);
  if (target_name !== null) {
    return (
      <>
        {target_name}
        <span className={`${shared["muted"]} ${classes["more"]}`}>{kind}</span>
      </>
    );
  }
  // A session's id means nothing to a person; the details show it.
  return entity_id === null || entity_id.length > 12 ? kind : `${kind} ${entity_id}`;
}

function AuditDetails({ entry }: { readonly entry: AuditEntry }) {
  const { seal, id, entity, entity_id, outcome } = entry;
  const changes = changesOf(entry);
  return (
    <>
      {changes.length === 0 ? (
        <p>No values were recorded.</p>
      ) : (
        <table className={classes["changes"]}>
          <thead>
            <tr>
              <th scope="col">Field</th>
              <th scope="col">Before</th>
              <th scope="col">{outcome === "DONE" ? "After" : "Requested"}</th>
            </tr>
          </thead>
          <tbody>
            {changes.map(({ field, before, after }) => (
              <tr key={field}>
                <th scope="row">{auditLabel(field)}</th>
                <td>{shown(before)}</td>
                <td>{shown(after)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <p className={`${shared["muted"]} ${classes["seal"]}`}>
        Row {id}
        {entity_id !== null && `, ${auditLabel(entity).toLowerCase()} ${entity_id}`}
        {seal === null ? ", not sealed yet" : `, sealed as number ${seal.number}: ${seal.hash}`}
      </p>
    </>
  );
}

const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?Z$/;

function shown(value: string | null): string {
  if (value === null) return "–";
  return INSTANT.test(value) ? `${exactTimeText(new Date(value))} (${browserZone()})` : value;
}
