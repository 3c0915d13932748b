import { Box, Button, Progress } from "@mantine/core";
import {
  firmwareList,
  ROLLOUT_BATCH_SIZE,
  ROLLOUT_DEADLINE_MINUTES,
  ROLLOUT_FAILURE_THRESHOLD_PERCENT,
  ROLLOUT_WAIT_LIMIT_HOURS,
} from "@suncrew/contract/firmware/firmware.ts";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useMemo, useRef, useState } from "react";
import { TokenExpiredError } from "../../platform/api/errors.ts";
import { routeQuery } from "../../platform/api/route-query.ts";
import { confirm } from "../../platform/confirm/confirm.ts";
import { useGuardedClose } from "../../platform/confirm/use-guarded-close.ts";
import { Dialog, DialogFooter, useIsNarrow } from "../../ui/dialog.tsx";
import { DisabledReason } from "../../ui/disabled-reason.tsx";
import { RefusalBox } from "../../ui/refusal-box.tsx";
import classes from "./deploy-dialog.module.css";
import {
  type DeployForm,
  deployBlockedReason,
  deployProblems,
  deployQuestion,
  type DeployRobot,
  versionInName,
  versionOf,
} from "./deploy-facts.ts";
import { DeployFields } from "./deploy-fields.tsx";
import { deploy, reasonOf, storeFirmware } from "./firmware-calls.ts";
import { RobotPicker, useDeployRobots } from "./robot-picker.tsx";

const EMPTY: DeployForm = {
  source: "file",
  file: null,
  version: "",
  firmwareId: "",
  batchSize: String(ROLLOUT_BATCH_SIZE),
  threshold: String(ROLLOUT_FAILURE_THRESHOLD_PERCENT),
  deadline: String(ROLLOUT_DEADLINE_MINUTES),
  waitLimit: String(ROLLOUT_WAIT_LIMIT_HOURS),
};

export type DeployStage = { readonly at: "form" | "sending" } | { readonly at: "uploading"; readonly percent: number };

/** The form of the Deploy Firmware dialog, and its submission: confirmation, upload, rollout. */
export function useDeploy() {
  const [form, setForm] = useState(EMPTY);
  const [stage, setStage] = useState<DeployStage>({ at: "form" });
  const [refusal, setRefusal] = useState<string | null>(null);
  const isBusy = useRef(false);
  const uploading = useRef(new AbortController());

  // Leaving the form aborts its upload.
  useEffect(() => () => uploading.current.abort(), []);

  const change = (by: Partial<DeployForm>) => {
    setRefusal(null);
    setForm((now) => {
      const next = { ...now, ...by };
      // A version that came from the previous file's name was not typed by the user.
      const isOwn = now.version !== "" && now.version !== versionInName(now.file?.name ?? "");
      return by.file instanceof File && !isOwn ? { ...next, version: versionInName(by.file.name) } : next;
    });
  };

  const firmwareIdOf = async (version: string): Promise<number> => {
    if (form.source === "uploaded" || form.file === null) return Number(form.firmwareId);
    uploading.current = new AbortController();
    setStage({ at: "uploading", percent: 0 });
    const { signal } = uploading.current;
    return storeFirmware(form.file, version, {
      signal,
      onPercent: (percent) => setStage({ at: "uploading", percent }),
    });
  };

  /** Returns the id of the new rollout, or null if none was started. */
  const submit = async (robots: readonly DeployRobot[], version: string): Promise<number | null> => {
    if (isBusy.current) return null;
    isBusy.current = true;
    setRefusal(null);
    try {
      if (!(await confirm(deployQuestion(robots, version, form)))) return null;
      const firmware_id = await firmwareIdOf(version);
      setStage({ at: "sending" });
      return await deploy({
        firmware_id,
        robot_ids: robots.map(({ id }) => id),
        batch_size: Number(form.batchSize),
        failure_threshold_percent: Number(form.threshold),
        deadline_minutes: Number(form.deadline),
        wait_limit_hours: Number(form.waitLimit),
      });
    } catch (error) {
      setStage({ at: "form" });
      if (error instanceof TokenExpiredError || uploading.current.signal.aborted) return null;
      setRefusal(reasonOf(error));
      return null;
    } finally {
      isBusy.current = false;
    }
  };

  const isChanged = form.file !== null || form.version !== "" || form.firmwareId !== "";
  return { form, change, stage, refusal, submit, cancelUpload: () => uploading.current.abort(), isChanged };
}

export interface DeployDialogProps {
  /** The selected site; null if there is none. */
  readonly siteId: number | null;
  /** Chosen before the dialog was opened. */
  readonly robotIds?: readonly number[];
  readonly onRollouts: () => void;
  readonly onStarted: (rolloutId: number) => void;
  readonly onClose: () => void;
}

/** §2 Dialogs, Deploy Firmware: robots, a file or one uploaded before, and how cautious to be. */
export function DeployDialog({ siteId, robotIds = [], onRollouts, onStarted, onClose }: DeployDialogProps) {
  const isNarrow = useIsNarrow();
  const robots = useDeployRobots(siteId);
  const uploaded = useQuery(routeQuery(firmwareList, {})).data ?? [];
  const [chosen, setChosen] = useState<ReadonlySet<number>>(() => new Set(robotIds));
  const { form, change, stage, refusal, submit, cancelUpload, isChanged } = useDeploy();
  const isUnderWay = stage.at !== "form";
  const [leave, setLeave] = useState<(() => void) | null>(null);
  const close = useGuardedClose(
    {
      isChanged: leave === null && (isChanged || chosen.size > 0),
      isSaving: leave === null && stage.at === "sending",
      shownBy: ["dialog"],
    },
    () => setLeave(() => onClose),
  );
  // In an effect, so that the guard no longer blocks when the URL changes.
  useEffect(() => leave?.(), [leave]);
  const version = versionOf(form, uploaded);
  const problems = deployProblems(form);
  // A robot that was deleted in the meantime is no longer chosen.
  const chosenRobots = useMemo(() => robots.all.filter(({ id }) => chosen.has(id)), [robots.all, chosen]);
  const blockedReason = deployBlockedReason(problems, chosenRobots.length);
  const count = chosenRobots.length;
  const start = async () => {
    const rolloutId = version === null ? null : await submit(chosenRobots, version);
    if (rolloutId !== null) setLeave(() => () => onStarted(rolloutId));
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
            <Box display="grid" mt={14} fz={13} style={{ gap: 6 }} role="status">
              <span>Uploading, {Math.floor(stage.percent)} %</span>
              <Progress value={stage.percent} aria-label="Upload" size="sm" />
            </Box>
          )}
          {refusal !== null && <RefusalBox title="Firmware was not deployed">{refusal}</RefusalBox>}
        </div>
      </div>
      <DialogFooter>
        {/* The guard asks before it discards what was entered. */}
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
        <DisabledReason reason={blockedReason}>
          <Button loading={stage.at === "uploading" || stage.at === "sending"} onClick={() => void start()}>
            {count === 0 ? "Deploy" : `Deploy to ${count.toLocaleString("en-GB")} ${count === 1 ? "robot" : "robots"}`}
          </Button>
        </DisabledReason>
      </DialogFooter>
    </Dialog>
  );
}
