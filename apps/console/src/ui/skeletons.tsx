import { Skeleton, Stack, VisuallyHidden } from "@mantine/core";

export interface SkeletonLinesProps {
  /** What is being loaded, said to a screen reader. */
  readonly label: string;
  readonly lines?: number;
  /** Height of one line in pixels: that of what will stand there, so that nothing jumps. */
  readonly lineHeightPx?: number;
}

/** In place of a list while it is loaded. */
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
