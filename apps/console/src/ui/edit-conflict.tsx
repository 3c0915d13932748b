import { Button, Group } from "@mantine/core";
import { IconUsers } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { Notice } from "./notice.tsx";
import classes from "./edit-conflict.module.css";

/** A field that two people changed differently. */
export interface FieldDifference {
  readonly label: string;
  /** As shown to people; empty if there is nothing. */
  readonly mine: string;
  readonly theirs: string;
}

/** What somebody else saved while a form was open; fields by their labels. */
export type ConcurrentEdit =
  | {
      /** There is nothing to choose: `taken` is already in the form, `kept` was changed by me alone. */
      readonly kind: "fits";
      readonly taken: readonly string[];
      readonly kept: readonly string[];
    }
  | {
      readonly kind: "collides";
      /** Only the other person changed them: theirs, whatever is chosen. */
      readonly taken: readonly string[];
      readonly differences: readonly FieldDifference[];
      /** Fills the fields of `differences` with what the other person saved. */
      readonly takeTheirs: () => void;
      /** Leaves them as they are, to overwrite theirs. */
      readonly keepMine: () => void;
    };

/** Why nothing is saved before a choice. */
export const RESOLVE_FIRST = "Choose first: take theirs or keep mine.";

export interface EditConflictProps {
  /** Such as "site". */
  readonly what: string;
  readonly concurrentEdit: ConcurrentEdit;
}

/** Two people edited at once: the second sees what the first saved, beside their own input, and loses nothing. */
export function EditConflict({ what, concurrentEdit }: EditConflictProps) {
  return (
    <ConflictAlert title={`Somebody else changed this ${what} while you were editing`}>
      {concurrentEdit.kind === "fits" ? <Fits {...concurrentEdit} /> : <Collides {...concurrentEdit} />}
    </ConflictAlert>
  );
}

export interface DeletedNoticeProps {
  readonly what: string;
  /** The whole sentence, which Save shows too. */
  readonly reason: string;
}

/** What is being edited was deleted. The input stays, because it belongs to the person. */
export function DeletedNotice({ what, reason }: DeletedNoticeProps) {
  return (
    <ConflictAlert title={`This ${what} cannot be saved any more`}>
      {reason} Nothing can be saved; what you typed can still be copied.
    </ConflictAlert>
  );
}

function ConflictAlert({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <Notice icon={<IconUsers size={18} aria-hidden />} title={title} role="alert" mb="sm" p="sm">
      {children}
    </Notice>
  );
}

function Fits({ taken, kept }: Extract<ConcurrentEdit, { kind: "fits" }>) {
  const theirs = listed(taken);
  return kept.length === 0
    ? `What they saved is in the form now: ${theirs}.`
    : `Both changes fit together: ${theirs} from the other, ${listed(kept)} from you. Save stores both.`;
}

function Collides({ taken, differences, takeTheirs, keepMine }: Extract<ConcurrentEdit, { kind: "collides" }>) {
  return (
    <>
      Nothing of yours is lost, and nothing is saved yet. You both changed {differences.length === 1 ? "this" : "these"}
      :
      <table className={classes["table"]} aria-label="What differs">
        <thead>
          <tr>
            <th scope="col">Field</th>
            <th scope="col">Yours</th>
            <th scope="col">Saved by the other</th>
          </tr>
        </thead>
        <tbody>
          {differences.map(({ label, mine, theirs }) => (
            <tr key={label}>
              <th scope="row">{label}</th>
              <td>{mine || "–"}</td>
              <td>{theirs || "–"}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {taken.length > 0 && <p className={classes["taken"]}>Only the other changed, and is kept: {listed(taken)}.</p>}
      <Group gap="xs" mt="xs">
        <Button size="xs" variant="default" onClick={takeTheirs}>
          Take theirs
        </Button>
        <Button size="xs" variant="default" onClick={keepMine}>
          Keep mine
        </Button>
      </Group>
    </>
  );
}

function listed(labels: readonly string[]): string {
  return new Intl.ListFormat("en", { type: "conjunction" }).format(labels);
}
