import { Menu, UnstyledButton } from "@mantine/core";
import { IconChevronDown, IconHandStop } from "@tabler/icons-react";
import { useEffect } from "react";
import { firstContentShown } from "../../platform/first-content.ts";
import { liveStore, useLiveValue } from "../../platform/live/live.ts";
import { lazyDialog } from "../../ui/lazy-dialog.tsx";
import { lazyPart } from "../../ui/lazy-part.tsx";
import classes from "./fleet-stop-button.module.css";
import { closeFleetStop, mayMoveNow, stopFleet, useFleetStop } from "./fleet-stop.ts";

const FleetStopDialog = lazyDialog(
  ({ press }) => press.part.title,
  async () => (await import("./fleet-stop-dialog.tsx")).FleetStopDialog,
);

const PartsToStop = lazyPart(async () => (await import("./fleet-stop-menu.tsx")).PartsToStop, {
  waiting: <Menu.Label>Loading...</Menu.Label>,
  failed: () => <Menu.Label>The choice could not be loaded. Stop fleet works.</Menu.Label>,
});

/**
 * Fleet Stop, on every page: one press stops every robot that the user may see, without confirmation, and it is never
 * disabled. Only its result and the choice of a part are files of their own.
 */
export function FleetStopButton() {
  const moving = useLiveValue(countMoving);
  const press = useFleetStop();
  useEffect(() => {
    void firstContentShown().then(() => Promise.all([FleetStopDialog.preload(), PartsToStop.preload()]));
  }, []);
  return (
    <div className={classes["stop"]} role="group" aria-label="Fleet stop">
      <UnstyledButton
        className={classes["all"]}
        title={
          moving === null
            ? "Stops every robot at once"
            : `Stops every robot at once. Moving now: ${moving.toLocaleString("en-GB")}`
        }
        onClick={() => void stopFleet()}
      >
        <IconHandStop size={16} aria-hidden />
        <span className={classes["label"]}>Stop fleet</span>
        {moving !== null && <span>({moving.toLocaleString("en-GB")})</span>}
      </UnstyledButton>
      <Menu position="bottom-end" width={260} withinPortal={false}>
        <Menu.Target>
          <UnstyledButton className={classes["some"]} aria-label="Stop only...">
            <IconChevronDown size={14} aria-hidden />
          </UnstyledButton>
        </Menu.Target>
        <Menu.Dropdown className={classes["parts"]}>
          <PartsToStop />
        </Menu.Dropdown>
      </Menu>
      {press !== null && <FleetStopDialog press={press} onClose={closeFleetStop} />}
    </div>
  );
}

/** Null before the first live snapshot. */
function countMoving(): number | null {
  if (!liveStore.hasSnapshot()) return null;
  let count = 0;
  for (const robot of liveStore.robots()) if (mayMoveNow(robot)) count += 1;
  return count;
}
