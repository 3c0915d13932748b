import { Alert, Button } from "@mantine/core";
import { rolloutDetails } from "@suncrew/contract/firmware/firmware.ts";
import type { ResponseOf } from "@suncrew/contract/http/route.ts";
import { IconArrowLeft, IconPlayerPause, IconPlayerPlay, IconRotate, IconX } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { routeQuery } from "../../platform/api/route-query.ts";
import { confirm } from "../../platform/confirm/confirm.ts";
import type { Question } from "../../platform/confirm/confirm.ts";
import { RelativeTime } from "../../ui/relative-time.tsx";
import { SkeletonLines } from "../../ui/skeletons.tsx";
import { StateBadge } from "../../ui/state-badge.tsx";
import type { FirmwareDialog } from "./firmware-address.ts";
import { deployAgain, steer } from "./firmware-calls.ts";
import { RolloutBar } from "./rollout-bar.tsx";
import { againQuestion, cancelQuestion, figuresOf, figuresText, inOrder, resumeQuestion } from "./rollout-facts.ts";
import { rolloutLook } from "./rollout-meaning.ts";
import { RolloutRobots } from "./rollout-robots.tsx";
import classes from "./rollouts-dialog.module.css";
import { QueryState } from "../../platform/query-state.tsx";

export interface RolloutViewProps {
  readonly rolloutId: number;
  readonly isNarrow: boolean;
  readonly onShow: (dialog: FirmwareDialog) => void;
}

/** One rollout as it goes on, robot by robot. */
export function RolloutView({ rolloutId, onShow, ...rest }: RolloutViewProps) {
  const query = useQuery({ ...routeQuery(rolloutDetails, { params: { rolloutId } }), refetchOnMount: "always" });
  return (
    <>
      <Button
        variant="subtle"
        color="gray"
        size="compact-sm"
        className={classes["back"] ?? ""}
        leftSection={<IconArrowLeft size={14} aria-hidden />}
        onClick={() => onShow({ kind: "list" })}
      >
        All rollouts
      </Button>
      <QueryState
        query={query}
        loading={<SkeletonLines label="Loading the rollout" lines={8} lineHeightPx={36} />}
        failed="The rollout could not be loaded."
      >
        {(data) => <Details rollout={data} onShow={onShow} {...rest} />}
      </QueryState>
    </>
  );
}

interface DetailsProps extends Omit<RolloutViewProps, "rolloutId"> {
  readonly rollout: ResponseOf<typeof rolloutDetails>;
}

function Details({ rollout, isNarrow, onShow }: DetailsProps) {
  const [busy, setBusy] = useState<string | null>(null);
  const robots = useMemo(() => inOrder(rollout.robots), [rollout.robots]);
  const figures = figuresOf(rollout);
  const again = robots.filter(({ state, gave_up }) => state === "FAILED" || gave_up).map(({ robot_id }) => robot_id);
  const isOpen = rollout.state === "RUNNING" || rollout.state === "PAUSED";

  const doing = async (what: string, question: Question | null, work: () => Promise<void>) => {
    if (busy !== null) return;
    if (question !== null && !(await confirm(question))) return;
    setBusy(what);
    await work();
    setBusy(null);
  };
  const deployToRest = async () => {
    const { firmware_id, batch_size, failure_threshold_percent, deadline_minutes, wait_limit_hours } = rollout;
    const settings = { batch_size, failure_threshold_percent, deadline_minutes, wait_limit_hours };
    const rolloutId = await deployAgain({ firmware_id, robot_ids: again, ...settings });
    if (rolloutId !== null) onShow({ kind: "rollout", rolloutId });
  };
  const { id } = rollout;

  return (
    <>
      <div className={classes["top"]}>
        <div className={classes["words"]}>
          <h3 className={classes["title"]}>
            Firmware {rollout.version} <StateBadge look={rolloutLook(rollout)} />
          </h3>
          <p className={classes["quiet"]}>
            {rollout.file_name}, <RelativeTime at={rollout.created_at} /> by {rollout.created_by}. One first, then{" "}
            {rollout.batch_size} at a time; pauses above {rollout.failure_threshold_percent} % failed. Each robot has to
            have it installed within {rollout.deadline_minutes} min of its offer; one that cannot be offered it is
            waited for {rollout.wait_limit_hours} h at most.
          </p>
        </div>
        <div className={classes["deeds"]}>
          {rollout.state === "RUNNING" && (
            <Button
              size="xs"
              variant="default"
              loading={busy === "pause"}
              leftSection={<IconPlayerPause size={14} aria-hidden />}
              // Nothing moves by it, so it does not ask.
              onClick={() => void doing("pause", null, () => steer(id, "PAUSE"))}
            >
              Pause
            </Button>
          )}
          {rollout.state === "PAUSED" && (
            <Button
              size="xs"
              loading={busy === "resume"}
              leftSection={<IconPlayerPlay size={14} aria-hidden />}
              onClick={() => void doing("resume", resumeQuestion(rollout), () => steer(id, "RESUME"))}
            >
              Resume
            </Button>
          )}
          {isOpen && (
            <Button
              size="xs"
              variant="default"
              loading={busy === "cancel"}
              leftSection={<IconX size={14} aria-hidden />}
              onClick={() => void doing("cancel", cancelQuestion(rollout), () => steer(id, "CANCEL"))}
            >
              Cancel
            </Button>
          )}
          {!isOpen && again.length > 0 && (
            <Button
              size="xs"
              loading={busy === "again"}
              leftSection={<IconRotate size={14} aria-hidden />}
              onClick={() => void doing("again", againQuestion(rollout, again.length), deployToRest)}
            >
              Deploy again to {again.length.toLocaleString("en-GB")}{" "}
              {again.length === figures.failed ? "failed" : again.length === 1 ? "robot" : "robots"}
            </Button>
          )}
        </div>
      </div>
      {rollout.reason !== null && (
        <Alert color="yellow" p="xs" mt="xs" classNames={{ message: classes["why"] ?? "" }}>
          {rollout.reason}
        </Alert>
      )}
      <div className={classes["progress"]}>
        <RolloutBar figures={figures} />
        <span className={classes["figures"]} role="status">
          {figuresText(figures)}
        </span>
      </div>
      <RolloutRobots
        robots={robots}
        version={rollout.version}
        deadlineMinutes={rollout.deadline_minutes}
        isNarrow={isNarrow}
      />
    </>
  );
}
