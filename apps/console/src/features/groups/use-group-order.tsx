import type { Group } from "@suncrew/contract/groups/groups.ts";
import type { RobotWithSettings } from "@suncrew/contract/robots/robots.ts";
import { useState } from "react";
import type { ReactNode } from "react";
import { lazyDialog } from "../../ui/lazy-dialog.tsx";
import type { StartOrStop } from "../commands/public.ts";
import { commandGroup } from "./command-group.ts";

const StartAllDialog = lazyDialog(
  ({ group }) => `Start all robots of "${group.group_name}"?`,
  async () => (await import("./start-all-dialog.tsx")).StartAllDialog,
);

export interface GroupOrdering {
  /** Stop goes out at once; Start asks first. `only` names the members of a retry, null is for all. */
  readonly order: (verb: StartOrStop, only: readonly number[] | null) => void;
  /** The question's place. */
  readonly dialog: ReactNode;
}

/** Orders for a group: a Start says first which robots will move, a Stop never asks. */
export function useGroupOrder(group: Group, rows: readonly RobotWithSettings[]): GroupOrdering {
  const [asked, setAsked] = useState<{ readonly only: readonly number[] | null } | null>(null);
  const order = (verb: StartOrStop, only: readonly number[] | null) => {
    if (verb === "START") setAsked({ only });
    else void commandGroup({ group, verb, only });
  };
  const dialog = asked !== null && (
    <StartAllDialog
      group={group}
      rows={asked.only === null ? rows : rows.filter((row) => asked.only?.includes(row.robot_id))}
      onClose={() => setAsked(null)}
      onStart={() => {
        setAsked(null);
        void commandGroup({ group, verb: "START", only: asked.only });
      }}
    />
  );
  return { order, dialog };
}
