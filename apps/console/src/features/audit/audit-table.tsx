import type { AuditEntry } from "@suncrew/contract/audit/audit.ts";
import { browserZone } from "../../ui/exact-time-text.ts";
import { AUDIT_COLUMNS, AuditRow } from "./audit-row.tsx";
import classes from "./audit-table.module.css";

export interface AuditTableProps {
  readonly entries: readonly AuditEntry[];
  /** The entries are still those of the filters before. */
  readonly isOld: boolean;
}

/** Changes, newest first. Roles instead of a table's elements, for on a phone each change is a card. */
export function AuditTable({ entries, isOld }: AuditTableProps) {
  return (
    <div role="table" aria-label="Changes, newest first" aria-busy={isOld} className={classes["table"]}>
      <div role="rowgroup">
        <div role="row" className={classes["names"]}>
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
