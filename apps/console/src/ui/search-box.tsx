import { CloseButton, TextInput } from "@mantine/core";
import { IconSearch } from "@tabler/icons-react";

export interface SearchBoxProps {
  /** What is searched, for a screen reader. */
  readonly label: string;
  readonly placeholder: string;
  readonly value: string;
  /** Where the server or the address takes no more. */
  readonly maxLength?: number;
  readonly onChange: (words: string) => void;
}

/** The input of a search that narrows a list. */
export function SearchBox({ label, placeholder, value, maxLength, onChange }: SearchBoxProps) {
  return (
    <TextInput
      type="search"
      size="sm"
      aria-label={label}
      placeholder={placeholder}
      value={value}
      maxLength={maxLength}
      leftSection={<IconSearch size={16} aria-hidden />}
      rightSection={
        value === "" ? null : <CloseButton size="sm" aria-label="Clear search" onClick={() => onChange("")} />
      }
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}
