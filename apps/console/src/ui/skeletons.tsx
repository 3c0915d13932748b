import { Skeleton, Stack, VisuallyHidden } from "@mantine/core";

export interface SkeletonLinesProps {
  /** What is loading, announced to a screen reader. */
  readonly label: string;
  readonly lines?: number;
  /** Height of one line in pixels: that of the future content, so that nothing jumps. */
  readonly lineHeightPx?: number;
}

/** Shown in place of a list while it is loading. */
export function SkeletonLines({ label, lines = 4, lineHeightPx = 44 }: SkeletonLinesProps) {
  return (
    <Stack gap="xs" role="status">
      <VisuallyHidden>{label}</VisuallyHidden>
      {Array.from({ length: lines }, (_, line) => (
        <Skeleton key={line} height={lineHeightPx} />
      ))}
    </Stack>
  );
}
