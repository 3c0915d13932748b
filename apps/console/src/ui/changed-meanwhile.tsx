import { Alert, Button, Group, Table, Text } from "@mantine/core";
import { IconUsers } from "@tabler/icons-react";

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
      icon={<IconUsers size={18} />}
      title={`Somebody else changed this ${what} while you were editing`}
      role="alert"
      mb="sm"
    >
      <Text size="sm">Nothing of yours is lost, and nothing is saved yet.</Text>
      {differences.length > 0 && (
        <Table mt="xs" withRowBorders={false} verticalSpacing={4} aria-label="What differs">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Field</Table.Th>
              <Table.Th>Yours</Table.Th>
              <Table.Th>Saved by the other</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {differences.map(({ label, mine, theirs }) => (
              <Table.Tr key={label}>
                <Table.Td>{label}</Table.Td>
                <Table.Td>{mine || "–"}</Table.Td>
                <Table.Td>{theirs || "–"}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
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
