import type { Rollout } from "@suncrew/contract/firmware/firmware.ts";
import { IconCloudUpload } from "@tabler/icons-react";
import { EmptyState } from "../../ui/empty-state.tsx";
import { RelativeTime } from "../../ui/relative-time.tsx";
import { StateBadge } from "../../ui/state-badge.tsx";
import { RolloutBar } from "./rollout-bar.tsx";
import { figuresOf, figuresText } from "./rollout-facts.ts";
import { rolloutLook } from "./rollout-meaning.ts";
import classes from "./rollouts-dialog.module.css";

export interface RolloutListProps {
  readonly rollouts: readonly Rollout[];
  readonly onOpen: (rolloutId: number) => void;
}

/** Every rollout in one line: what, how far, by whom. */
export function RolloutList({ rollouts, onOpen }: RolloutListProps) {
  if (rollouts.length === 0) {
    return (
      <EmptyState
        title="No firmware was deployed yet."
        message="Robots, a file and a version are all it takes: one robot goes first, the others follow in batches."
        icon={<IconCloudUpload size={32} stroke={1.5} />}
      />
    );
  }
  return (
    <ul className={classes["rollouts"]} aria-label="Rollouts">
      {rollouts.map((rollout) => {
        const figures = figuresOf(rollout);
        return (
          <li key={rollout.id}>
            <button type="button" className={classes["rollout"]} onClick={() => onOpen(rollout.id)}>
              <span className={classes["what"]}>
                <strong>{rollout.version}</strong>
                <span className={classes["quiet"]}>{rollout.file_name}</span>
              </span>
              <StateBadge look={rolloutLook(rollout)} />
              <span className={classes["how"]}>
                <RolloutBar figures={figures} />
                <span className={classes["quiet"]}>{figuresText(figures)}</span>
              </span>
              <span className={classes["who"]}>
                <RelativeTime at={rollout.created_at} /> by {rollout.created_by}
              </span>
            </button>
          </li>
        );
      })}
    </ul>
  );
}
