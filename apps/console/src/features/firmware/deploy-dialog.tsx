import { Button, Progress } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { firmwareList } from "@suncrew/contract/firmware/firmware.ts";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useMemo, useState } from "react";
import { routeQuery } from "../../platform/api/route-query.ts";
import { useGuardedClose } from "../../platform/confirm/use-guarded-close.ts";
import { DisabledReason } from "../../ui/disabled-reason.tsx";
import { RefusalBox } from "../../ui/refusal-box.tsx";
import classes from "./deploy-dialog.module.css";
import { deployObstacle, deployProblems, versionOf } from "./deploy-facts.ts";
import { DeployFields } from "./deploy-fields.tsx";
import { RobotPicker } from "./robot-picker.tsx";
import { useDeploy } from "./use-deploy.ts";
import { useDeployRobots } from "./use-deploy-robots.ts";
import { Dialog } from "../../ui/dialog.tsx";

export interface DeployDialogProps {
  /** The selected site; null where none is. */
  readonly siteId: number | null;
  readonly onRollouts: () => void;
  readonly onStarted: (rolloutId: number) => void;
  readonly onClose: () => void;
}

/** §2 Dialogs, Deploy Firmware: robots, a file or one that was uploaded before, and how careful to be. */
export function DeployDialog({ siteId, onRollouts, onStarted, onClose }: DeployDialogProps) {
  const isNarrow = useMediaQuery("(max-width: 48em)", undefined, { getInitialValueInEffect: false }) ?? false;
  const robots = useDeployRobots(siteId);
  const uploaded = useQuery(routeQuery(firmwareList, {})).data ?? [];
  const [chosen, setChosen] = useState<ReadonlySet<number>>(new Set());
  const { form, change, stage, refusal, submit, cancelUpload, isChanged } = useDeploy();
  const isUnderWay = stage.at !== "form";
  const [way, setWay] = useState<(() => void) | null>(null);
  const close = useGuardedClose(
    {
      isChanged: way === null && (isChanged || chosen.size > 0),
      isSaving: way === null && stage.at === "sending",
      shownBy: ["dialog"],
    },
    () => setWay(() => onClose),
  );
  // Below the guard, which must hold nothing any more when the address changes.
  useEffect(() => way?.(), [way]);
  const version = versionOf(form, uploaded);
  const problems = deployProblems(form);
  // A robot that was deleted meanwhile is not chosen any more.
  const chosenRobots = useMemo(() => robots.all.filter(({ id }) => chosen.has(id)), [robots.all, chosen]);
  const obstacle = deployObstacle(problems, chosenRobots.length);
  const count = chosenRobots.length;
  const start = async () => {
    const rolloutId = version === null ? null : await submit(chosenRobots, version);
    if (rolloutId !== null) setWay(() => () => onStarted(rolloutId));
  };

  return (
    <Dialog onClose={close} title="Deploy Firmware" size={960} fullScreenBelow="48em">
      <div className={classes["parts"]}>
        <RobotPicker
          robots={robots}
          chosen={chosen}
          onChoose={setChosen}
          version={version}
          isNarrow={isNarrow}
          isDisabled={isUnderWay}
        />
        <div>
          <DeployFields form={form} problems={problems} uploaded={uploaded} isDisabled={isUnderWay} onChange={change} />
          {stage.at === "uploading" && (
            <div className={classes["upload"]} role="status">
              <span>Uploading, {Math.floor(stage.percent)} %</span>
              <Progress value={stage.percent} aria-label="Upload" size="sm" />
            </div>
          )}
          {refusal !== null && <RefusalBox title="Firmware was not deployed">{refusal}</RefusalBox>}
        </div>
      </div>
      <div className={classes["foot"]}>
        {/* Asks before it throws away what was entered, as every way out of the form. */}
        <Button variant="subtle" mr="auto" disabled={isUnderWay} onClick={onRollouts}>
          All rollouts
        </Button>
        {stage.at === "uploading" ? (
          <Button variant="default" onClick={cancelUpload}>
            Cancel upload
          </Button>
        ) : (
          <Button variant="default" disabled={isUnderWay} onClick={close}>
            Cancel
          </Button>
        )}
        <DisabledReason reason={obstacle}>
          <Button loading={stage.at === "uploading" || stage.at === "sending"} onClick={() => void start()}>
            {count === 0 ? "Deploy" : `Deploy to ${count.toLocaleString("en-GB")} ${count === 1 ? "robot" : "robots"}`}
          </Button>
        </DisabledReason>
      </div>
    </Dialog>
  );
}
