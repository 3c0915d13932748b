import { Button } from "@mantine/core";
import { IconFilter } from "@tabler/icons-react";

interface FiltersButtonProps {
  /** How many filters narrow what is shown. */
  readonly active: number;
  readonly isOpen: boolean;
  readonly onToggle: (isOpen: boolean) => void;
}

/** Opens the filters of a list on a phone. */
export function FiltersButton({ active, isOpen, onToggle }: FiltersButtonProps) {
  return (
    <Button
      variant="default"
      size="sm"
      h={44}
      leftSection={<IconFilter size={14} aria-hidden />}
      aria-expanded={isOpen}
      onClick={() => onToggle(!isOpen)}
    >
      Filters{active === 0 ? "" : ` (${active})`}
    </Button>
  );
}
