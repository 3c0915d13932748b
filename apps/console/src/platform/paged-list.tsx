import { Button } from "@mantine/core";
import type { UseInfiniteQueryResult } from "@tanstack/react-query";

interface OlderButtonProps {
  readonly list: Pick<UseInfiniteQueryResult, "hasNextPage" | "isFetchingNextPage" | "fetchNextPage">;
  readonly size: "xs" | "compact-sm";
  readonly className?: string | undefined;
}

/** Loads the next page of a list; not shown on the last one. */
export function OlderButton({ list, size, className }: OlderButtonProps) {
  if (!list.hasNextPage) return null;
  return (
    <Button
      variant="default"
      size={size}
      className={className}
      loading={list.isFetchingNextPage}
      onClick={() => void list.fetchNextPage()}
    >
      Show older
    </Button>
  );
}
