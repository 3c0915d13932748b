import {
  ROLLOUT_BATCH_SIZE,
  ROLLOUT_DEADLINE_MINUTES,
  ROLLOUT_FAILURE_THRESHOLD_PERCENT,
  ROLLOUT_WAIT_LIMIT_HOURS,
} from "@suncrew/contract/firmware/firmware.ts";
import { useEffect, useRef, useState } from "react";
import { TokenExpiredError } from "../../platform/api/errors.ts";
import { confirm } from "../../platform/confirm/confirm.ts";
import { type DeployForm, deployQuestion, type DeployRobot, versionInName } from "./deploy-facts.ts";
import { deploy, reasonOf, storeFirmware } from "./firmware-calls.ts";

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

/** Where a deployment stands. */
export type DeployStage = { readonly at: "form" | "sending" } | { readonly at: "uploading"; readonly percent: number };

/** The form of the Deploy Firmware dialog and the way from it to a rollout: question, upload, call. */
export function useDeploy() {
  const [form, setForm] = useState(EMPTY);
  const [stage, setStage] = useState<DeployStage>({ at: "form" });
  const [refusal, setRefusal] = useState<string | null>(null);
  const isBusy = useRef(false);
  const uploading = useRef(new AbortController());

  // Whoever leaves the form does not want what it was about to do.
  useEffect(() => () => uploading.current.abort(), []);

  const change = (by: Partial<DeployForm>) => {
    setRefusal(null);
    setForm((now) => {
      const next = { ...now, ...by };
      // What the former file's name said was nobody's own word.
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

  /** Answers the rollout that began; null where none did. */
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
