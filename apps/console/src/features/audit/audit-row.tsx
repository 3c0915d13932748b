import { UnstyledButton } from "@mantine/core";
import type { AuditEntry } from "@suncrew/contract/audit/audit.ts";
import { IconChevronRight } from "@tabler/icons-react";
import { useId, useState } from "react";
import { StateBadge } from "../../ui/state-badge.tsx";
import { changesOf, inWords } from "./audit-changes.ts";
import { outcomeLook } from "./audit-meaning.ts";
import classes from "./audit-view.module.css";

const moment = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });

/** One change: who, when, what, how it ended; opened, each value before and after, and its seal. */
export function AuditRow({ entry }: { readonly entry: AuditEntry }) {
  const [open, setOpen] = useState(false);
  const details = useId();
  const { actor, action, entity, entity_id, site_name, outcome, reason, at } = entry;
  return (
    <li className={classes["entry"]}>
      <UnstyledButton
        className={classes["row"]}
        aria-expanded={open}
        aria-controls={details}
        onClick={() => setOpen((was) => !was)}
      >
        <IconChevronRight size={14} className={classes["chevron"]} data-open={open || undefined} aria-hidden />
        <time className={classes["time"]} dateTime={at}>
          {moment.format(new Date(at))}
        </time>
        <span className={classes["actor"]}>{actor}</span>
        <span className={classes["action"]}>{inWords(action)}</span>
        <span className={classes["thing"]}>
          {inWords(entity)}
          {entity_id !== null && ` ${entity_id.length > 12 ? `${entity_id.slice(0, 8)}...` : entity_id}`}
          {site_name !== null && <span className={classes["site"]}>{site_name}</span>}
        </span>
        <span className={classes["outcome"]}>
          <StateBadge look={outcomeLook[outcome]} />
        </span>
      </UnstyledButton>
      <div id={details} hidden={!open} className={classes["details"]}>
        {open && <AuditDetails entry={entry} />}
      </div>
      {!open && reason !== null && <p className={classes["reason"]}>{reason}</p>}
    </li>
  );
}

function AuditDetails({ entry }: { readonly entry: AuditEntry }) {
  const { reason, seal, id, entity_id } = entry;
  const changes = changesOf(entry);
  return (
    <>
      {reason !== null && <p className={classes["why"]}>{reason}</p>}
      {changes.length === 0 ? (
        <p className={classes["why"]}>No values are told with it.</p>
      ) : (
        <table className={classes["changes"]}>
          <thead>
            <tr>
              <th scope="col">Field</th>
              <th scope="col">Before</th>
              <th scope="col">After</th>
            </tr>
          </thead>
          <tbody>
            {changes.map(({ field, before, after }) => (
              <tr key={field}>
                <th scope="row">{inWords(field)}</th>
                <td>{before ?? "–"}</td>
                <td>{after ?? "–"}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <p className={classes["seal"]}>
        Row {id}
        {entity_id !== null && entity_id.length > 12 && `, of ${entity_id}`}
        {seal === null ? ", waits for its seal" : `, sealed as number ${seal.number}: ${seal.hash}`}
      </p>
    </>
  );
}
