import { Alert, Button, Group } from "@mantine/core";
import { IconUsers } from "@tabler/icons-react";
import classes from "./changed-meanwhile.module.css";

/** A field that somebody else saved differently from what stands in the form. */
export interface OtherValue {
  readonly label: string;
  /** As a person reads it; empty where there is nothing. */
  readonly mine: string;
  readonly theirs: string;
}

export interface ChangedMeanwhileProps {
  /** Such as "site". */
  readonly what: string;
  readonly differences: readonly OtherValue[];
  /** Fills the form with what the other person saved. */
  readonly onTakeTheirs: () => void;
  /** Leaves the form as it is, to be saved over theirs. */
  readonly onKeepMine: () => void;
}

/** Two people edited at once: the second sees what the first saved, beside the own entries, and loses nothing. */
export function ChangedMeanwhile({ what, differences, onTakeTheirs, onKeepMine }: ChangedMeanwhileProps) {
  return (
    <Alert
      color="yellow"
      variant="light"
      icon={<IconUsers size={18} aria-hidden />}
      title={`Somebody else changed this ${what} while you were editing`}
      role="alert"
      mb="sm"
      p="sm"
      className={classes["notice"]}
      classNames={{ title: classes["title"] ?? "", message: classes["message"] ?? "", icon: classes["icon"] ?? "" }}
    >
      Nothing of yours is lost, and nothing is saved yet.
      {differences.length > 0 && (
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
      )}
      <Group gap="xs" mt="xs">
        <Button size="xs" variant="default" onClick={onTakeTheirs}>
          Take theirs
        </Button>
        <Button size="xs" variant="default" onClick={onKeepMine}>
          Keep mine
        </Button>
      </Group>
    </Alert>
  );
}
