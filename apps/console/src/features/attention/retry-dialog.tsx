import { Button, Group as Row, Text } from "@mantine/core";
import type { AttentionItem } from "@suncrew/contract/attention/attention.ts";
import { groupSuccessMessage, robotCountText } from "@suncrew/domain/groups/groups.ts";
import { knownMotionOf } from "@suncrew/domain/robots/lost-while-moving.ts";
import { robotCan } from "@suncrew/domain/robots/robot-can.ts";
import { useCallback, useState } from "react";
import { liveStore, sameApartFrom, useLiveStatus, useLiveValue } from "../../platform/live/live.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { RefusalBox } from "../../ui/refusal-box.tsx";
import { useBusy } from "../../ui/use-busy.ts";
import { RobotResultList } from "../commands/public.ts";
import { blockedReasonText } from "../robots/public.ts";
import { type Retried, startAgain } from "./attention-calls.ts";
import classes from "./attention-list.module.css";

/** Asks first: how many robots will move and for how long, and which will not and why. Then the result of each. */
export function RetryDialog({ item, onClose }: { readonly item: AttentionItem; readonly onClose: () => void }) {
  // The robots as they were when it was asked: the item leaves the list as soon as they clean.
  const { robots, retry_minutes: minutes } = item;
  const forecast = useLiveValue(
    useCallback(() => robots.map(forecastOf), [robots]),
    isSameForecast,
  );
  const isLive = useLiveStatus() === "live";
  const [retried, setRetried] = useState<Retried | null>(null);
  const [isBusy, run] = useBusy();
  const moving = forecast.filter(({ reason }) => reason === null);
  const blocked = forecast.filter(({ reason }) => reason !== null);
  const sent = moving.length > 0 ? moving : forecast;

  const start = async () => {
    const answer = await run(() =>
      startAgain(
        sent.map(({ robotId }) => robotId),
        minutes ?? 1,
      ),
    );
    if (answer === null) onClose();
    else setRetried(answer);
  };

  if (retried !== null && "results" in retried) {
    return (
      <Dialog onClose={onClose} title={`Started again: ${groupSuccessMessage(retried.results, "started")}`} size="lg">
        <div className={classes["results"]} tabIndex={0}>
          <RobotResultList label="Result for each robot" results={retried.results} />
        </div>
        <Row justify="flex-end" mt="md">
          <Button variant="default" onClick={onClose} data-autofocus>
            Close
          </Button>
        </Row>
      </Dialog>
    );
  }
  return (
    <Dialog onClose={onClose} title={`Start ${robotCountText(sent.length)} for ${minutes} min?`}>
      <p className={classes["asked"]}>{item.cause}</p>
      <div role="status">
        <Text size="sm" fw={600}>
          {moving.length === 0
            ? "As far as known, no robot can start now."
            : `${robotCountText(moving.length)} will move for ${minutes} min. Make sure that nobody is near.`}
        </Text>
        {moving.length > 0 && <p className={classes["names"]}>{moving.map(({ serial }) => serial).join(", ")}</p>}
        {blocked.length > 0 && (
          <ul className={classes["blocked"]} tabIndex={0} aria-label="Robots that cannot start now">
            {blocked.map(({ serial, reason }) => (
              <li key={serial}>
                <strong>{serial}</strong> {reason}
              </li>
            ))}
          </ul>
        )}
        {!isLive && (
          <Text size="sm" c="dimmed" mt="sm">
            Live updates are interrupted: this may be out of date.
          </Text>
        )}
      </div>
      {retried !== null && <RefusalBox title="Not started">{retried.failure}</RefusalBox>}
      <Row justify="flex-end" mt="lg" gap="xs">
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
        <Button loading={isBusy} onClick={() => void start()} data-autofocus>
          {moving.length === 0 ? "Try anyway" : `Start ${robotCountText(moving.length)}`}
        </Button>
      </Row>
    </Dialog>
  );
}

interface Forecast {
  readonly robotId: number;
  readonly serial: string;
  /** Why it would not start; null if it would. */
  readonly reason: string | null;
}

/** §4 Button enabling, by what the live stream shows. */
function forecastOf({ robot_id: robotId, serial_number: serial }: AttentionItem["robots"][number]): Forecast {
  const live = liveStore.robot(robotId);
  if (live === undefined) return { robotId, serial, reason: "It has not reported its status yet." };
  const badWeather = liveStore.site(live.site_id)?.weather_guard?.text ?? null;
  const blocked = robotCan.start({
    status: live.status,
    operatingMode: live.operating_mode,
    motion: knownMotionOf(live.motion, live.lost_while_moving),
    installing: live.firmware_update !== null,
    commandInProgress: live.open_command !== null,
    inBadWeather: badWeather !== null,
    isMock: false,
  });
  const robot = { serialNumber: serial, isChecking: false, badWeather };
  return { robotId, serial, reason: blocked === null ? null : blockedReasonText(robot, blocked) };
}

const isSameForecast = sameApartFrom<Forecast>();
