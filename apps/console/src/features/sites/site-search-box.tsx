import { CloseButton, TextInput } from "@mantine/core";
import { IconSearch } from "@tabler/icons-react";

export interface SiteSearchBoxProps {
  readonly value: string;
  readonly onChange: (words: string) => void;
}

/** §2 Search sites box. */
export function SiteSearchBox({ value, onChange }: SiteSearchBoxProps) {
  return (
    <TextInput
      type="search"
      size="sm"
      aria-label="Search sites"
      placeholder="Search sites"
      value={value}
      leftSection={<IconSearch size={16} aria-hidden />}
      rightSection={
        value === "" ? null : <CloseButton size="sm" aria-label="Clear search" onClick={() => onChange("")} />
      }
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}
