import { CloseButton, TextInput } from "@mantine/core";
import { IconSearch } from "@tabler/icons-react";

export interface SiteSearchBoxProps {
  readonly value: string;
  readonly onChange: (words: string) => void;
  /** What may be typed, where it is more than a site's name. */
  readonly placeholder?: string;
}

/** §2 Search sites box. */
export function SiteSearchBox({ value, onChange, placeholder = "Search sites" }: SiteSearchBoxProps) {
  return (
    <TextInput
      type="search"
      size="sm"
      aria-label="Search sites"
      placeholder={placeholder}
      value={value}
      leftSection={<IconSearch size={16} aria-hidden />}
      rightSection={
        value === "" ? null : <CloseButton size="sm" aria-label="Clear search" onClick={() => onChange("")} />
      }
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}
