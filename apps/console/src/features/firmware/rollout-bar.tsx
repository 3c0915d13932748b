import { Progress } from "@mantine/core";
import { type RolloutFigures, figuresText } from "./rollout-facts.ts";

/** How many robots are done, failed and under way, of all; the words beside it say the same. */
export function RolloutBar({ figures }: { figures: RolloutFigures }) {
  const share = (count: number) => (figures.all === 0 ? 0 : (100 * count) / figures.all);
  return (
    <Progress.Root size={8} role="img" aria-label={figuresText(figures)}>
      <Progress.Section value={share(figures.done)} color="var(--sc-status-good-fg)" aria-hidden />
      <Progress.Section value={share(figures.failed)} color="var(--sc-status-poor-fg)" aria-hidden />
      <Progress.Section value={share(figures.underWay)} color="var(--sc-status-calm-fg)" striped animated aria-hidden />
      <Progress.Section value={share(figures.leftOut)} color="var(--sc-border-strong)" aria-hidden />
    </Progress.Root>
  );
}
