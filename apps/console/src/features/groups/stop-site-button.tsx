import { Button, Group as Row, Text } from "@mantine/core";
import type { RobotResult } from "@suncrew/contract/groups/groups.ts";
import type { RobotWithSettings } from "@suncrew/contract/robots/robots.ts";
import type { Site } from "@suncrew/contract/sites/sites.ts";
import { groupSuccessMessage, wereAlreadyStopped } from "@suncrew/domain/groups/groups.ts";
import { IconHandStop } from "@tabler/icons-react";
import { useRef, useState } from "react";
import { Dialog } from "../../ui/dialog.tsx";
import { useNow } from "../../ui/use-now.ts";
import { confirmedIn, RobotResultList, useResultsNow } from "../commands/public.ts";
import { robotActivityOf, RobotStatusBadge, useRobotView } from "../robots/public.ts";
import { type SiteStopped, stopSite } from "./group-commands.ts";
import { robotsText } from "./group-meaning.ts";
import classes from "./stop-site-dialog.module.css";

interface StopSiteButtonProps {
  readonly site: Site;
  readonly rows: readonly RobotWithSettings[];
}

/**
 * Stop all robots of a site: one press, no question, never disabled. What comes of each robot is shown while it comes;
 * a press while robots are still awaited sends the Stop again. A Stop needs no file that is not there already.
 */
export function StopSiteButton({ site, rows }: StopSiteButtonProps) {
  const [isOpen, setOpen] = useState(false);
  const [stopped, setStopped] = useState<SiteStopped | null>(null);
  const press = useRef<object>(null);

  const stop = async () => {
    const mine = {};
    press.current = mine;
    setStopped(null);
    setOpen(true);
    const outcome = await stopSite(site.id);
    if (press.current !== mine) return;
    if (outcome === null) setOpen(false);
    else setStopped(outcome);
  };

  return (
    <>
      <Button
        color="red"
        variant="filled"
        size="xs"
        leftSection={<IconHandStop size={16} aria-hidden />}
        onClick={() => void stop()}
      >
        Stop all robots
      </Button>
      {isOpen && (
        <StopSiteDialog
          site={site}
          rows={rows}
          stopped={stopped}
          onAgain={() => void stop()}
          onClose={() => setOpen(false)}
        />
      )}
    </>
  );
}

interface StopSiteDialogProps {
  readonly site: Site;
  readonly rows: readonly RobotWithSettings[];
  /** Null while robots are awaited. */
  readonly stopped: SiteStopped | null;
  readonly onAgain: () => void;
  readonly onClose: () => void;
}

const NONE: readonly RobotResult[] = [];

/** Each robot's result of Stop all robots: first what the stream shows of it, then what came of its Stop. */
function StopSiteDialog({ site, rows, stopped, onAgain, onClose }: StopSiteDialogProps) {
  const results = useResultsNow(stopped?.results ?? NONE);
  const isAgain = stopped !== null && (stopped.failure !== null || isAnyLeft(stopped.results));
  return (
    <Dialog onClose={onClose} title={`Stop all robots: ${site.name}`} size="lg">
      <Text size="sm" role="status" fw={600} mb={6}>
        {summaryOf(stopped && { ...stopped, results }, rows.length)}
      </Text>
      <div className={classes["robots"]} tabIndex={0}>
        {stopped === null || stopped.failure !== null ? (
          <ul className={classes["list"]} aria-label="Robots being stopped">
            {rows.map((row) => (
              <Awaited key={row.robot_id} row={row} />
            ))}
          </ul>
        ) : (
          <RobotResultList
            label="What came of each robot"
            results={worstFirst(stopped.results)}
            doneText={(result) => (wereAlreadyStopped(result) ? "Stood already." : "Has stopped.")}
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

/** Those that somebody may have to walk to come first; the order stays when they are told as done later. */
function worstFirst(results: readonly RobotResult[]): readonly RobotResult[] {
  return results.toSorted((a, b) => Number(a.outcome === "SUCCESS") - Number(b.outcome === "SUCCESS"));
}

function summaryOf(stopped: SiteStopped | null, robotCount: number): string {
  // Where the list could not be loaded, the Stop goes to all robots none the less.
  if (stopped === null) return robotCount === 0 ? "Stopping every robot..." : `Stopping ${robotsText(robotCount)}...`;
  if (stopped.failure !== null) return `The Stop could not be sent. ${stopped.failure}`;
  if (stopped.results.length === 0) return "There is no robot at this site.";
  const done = confirmedIn(stopped.results).length;
  const sent = stopped.results.filter(({ outcome }) => outcome === "SUCCESS").length - done;
  const pending = stopped.results.filter((result) => result.pending).length - sent;
  const told = sent === 0 ? "" : ` Sent to ${robotsText(sent)}; will be recorded.`;
  const kept = pending === 0 ? "" : ` For ${robotsText(pending)} the STOP is kept and sent again until confirmed.`;
  return `${groupSuccessMessage(stopped.results, "stopped")}${told}${kept}`;
}

function Awaited({ row }: { row: RobotWithSettings }) {
  const robot = useRobotView(row);
  const activity = robotActivityOf(robot, useNow());
  return (
    <li className={classes["row"]}>
      <span className={classes["serial"]}>{robot.serialNumber}</span>
      <RobotStatusBadge robot={robot} />
      <span className={classes["activity"]}>{activity.text}</span>
    </li>
  );
}
