import { Button, Group as Row, Text } from "@mantine/core";
import type { RobotResult } from "@suncrew/contract/groups/groups.ts";
import type { RobotWithSettings } from "@suncrew/contract/robots/robots.ts";
import type { Site } from "@suncrew/contract/sites/sites.ts";
import { groupSuccessMessage, wereAlreadyStopped, robotCountText } from "@suncrew/domain/groups/groups.ts";
import { IconHandStop } from "@tabler/icons-react";
import { type ReactNode, useCallback, useState } from "react";
import { liveStore, useLiveValue } from "../../platform/live/live.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { useNow } from "../../ui/use-now.ts";
import { confirmedRobots, mayMoveNow, RobotLine, RobotResultList, useCurrentResults } from "../commands/public.ts";
import { robotActivityOf, RobotStatusBadge, useRobotView } from "../robots/public.ts";
import { type ManyOutcome, stopAtOnce } from "./group-commands.ts";
import { shortSiteName } from "./group-looks.ts";
import classes from "./stop-site-dialog.module.css";

/**
 * Stop all robots of a site: one press, no confirmation, never disabled. Each robot's progress is shown;
 * a press while robots are still awaited sends the Stop again. Its dialog is not loaded lazily: a Stop needs no further file.
 */
export function StopSiteButton({ site, rows }: { readonly site: Site; readonly rows: readonly RobotWithSettings[] }) {
  const [stop, dialog] = useStopSite(rows);
  const moving = useLiveValue(
    useCallback(() => {
      if (!liveStore.hasSnapshot()) return null;
      return rows.filter(({ robot_id }) => isMovingNow(robot_id)).length;
    }, [rows]),
  );

  return (
    <>
      <Button
        color="red"
        variant="filled"
        size="xs"
        leftSection={<IconHandStop size={16} aria-hidden />}
        onClick={() => stop(site)}
      >
        Stop all at {shortSiteName(site.name)}
        {moving !== null && ` (${moving})`}
      </Button>
      {dialog}
    </>
  );
}

type StoppedSite = Pick<Site, "id" | "name">;

interface StopSitePress {
  readonly site: StoppedSite;
  /** Null until the response has arrived. */
  readonly stopped: ManyOutcome | null;
}

const NO_ROWS: readonly RobotWithSettings[] = [];

/** Stops every robot of a site at once, and the dialog that shows how far that is; `rows` are its robots if known. */
export function useStopSite(rows = NO_ROWS): readonly [(site: StoppedSite) => void, ReactNode] {
  const [press, setPress] = useState<StopSitePress | null>(null);
  const stop = async (site: StoppedSite) => {
    const own: StopSitePress = { site, stopped: null };
    setPress(own);
    const stopped = await stopAtOnce({ siteId: site.id });
    // A later press owns the dialog, and a closed one stays closed.
    setPress((now) => (now === own ? stopped && { site, stopped } : now));
  };
  const dialog = press && (
    <StopSiteDialog {...press} rows={rows} onAgain={() => void stop(press.site)} onClose={() => setPress(null)} />
  );
  return [(site) => void stop(site), dialog];
}

function isMovingNow(robotId: number): boolean {
  const robot = liveStore.robot(robotId);
  return robot !== undefined && mayMoveNow(robot);
}

interface StopSiteDialogProps extends StopSitePress {
  readonly rows: readonly RobotWithSettings[];
  readonly onAgain: () => void;
  readonly onClose: () => void;
}

const NONE: readonly RobotResult[] = [];

/** Stop all robots, robot by robot: first what the stream shows, then the result of its Stop. */
function StopSiteDialog({ site, rows, stopped, onAgain, onClose }: StopSiteDialogProps) {
  const results = useCurrentResults(stopped?.results ?? NONE);
  const isAgain = stopped !== null && (stopped.failure !== null || isAnyLeft(stopped.results));
  return (
    <Dialog onClose={onClose} title={`Stop all robots: ${site.name}`} size="lg">
      <Text size="sm" role="status" fw={600} mb={6}>
        {summaryOf(stopped && { ...stopped, results }, rows.length)}
      </Text>
      <div className={classes["robots"]} tabIndex={0}>
        {stopped === null || stopped.failure !== null ? (
          <ul aria-label="Robots being stopped">
            {rows.map((row) => (
              <StoppingRobot key={row.robot_id} row={row} />
            ))}
          </ul>
        ) : (
          <RobotResultList
            label="Result for each robot"
            results={worstFirst(stopped.results)}
            doneText={(result) => (wereAlreadyStopped(result) ? "Already stopped." : "Has stopped.")}
          />
        )}
      </div>
      <Row justify="flex-end" mt="md" gap="xs">
        {isAgain && (
          <Button color="red" variant="light" onClick={onAgain}>
            Stop all again
          </Button>
        )}
        <Button variant="default" onClick={onClose} data-autofocus>
          Close
        </Button>
      </Row>
    </Dialog>
  );
}

function isAnyLeft(results: readonly RobotResult[]): boolean {
  return results.some(({ outcome }) => outcome !== "SUCCESS");
}

/** Those that somebody may have to walk to come first; the order stays when they stop later. */
function worstFirst(results: readonly RobotResult[]): readonly RobotResult[] {
  return results.toSorted((a, b) => Number(a.outcome === "SUCCESS") - Number(b.outcome === "SUCCESS"));
}

function summaryOf(stopped: ManyOutcome | null, robotCount: number): string {
  // Even if the list could not be loaded, the Stop goes to all robots.
  if (stopped === null)
    return robotCount === 0 ? "Stopping every robot..." : `Stopping ${robotCountText(robotCount)}...`;
  if (stopped.failure !== null) return `The Stop could not be sent. ${stopped.failure}`;
  if (stopped.results.length === 0) return "There is no robot at this site.";
  const done = confirmedRobots(stopped.results).length;
  const sent = stopped.results.filter(({ outcome }) => outcome === "SUCCESS").length - done;
  const pending = stopped.results.filter((result) => result.pending).length - sent;
  const unrecorded = sent === 0 ? "" : ` Sent to ${robotCountText(sent)}; will be recorded.`;
  const unconfirmed =
    pending === 0 ? "" : ` For ${robotCountText(pending)} the STOP is stored and sent again until confirmed.`;
  return `${groupSuccessMessage(stopped.results, "stopped")}${unrecorded}${unconfirmed}`;
}

function StoppingRobot({ row }: { row: RobotWithSettings }) {
  const robot = useRobotView(row);
  const activity = robotActivityOf(robot, useNow());
  return (
    <RobotLine serial={robot.serialNumber} badge={<RobotStatusBadge robot={robot} />} isBefore>
      {activity.text}
    </RobotLine>
  );
}
