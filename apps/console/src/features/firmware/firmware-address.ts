import { useCallback } from "react";
import { type HistoryMode, useUrlParams } from "../../platform/url-params.tsx";

/** Which dialog about firmware stands in the page's address. */
export type FirmwareDialog =
  | { readonly kind: "deploy" }
  | { readonly kind: "list" }
  | { readonly kind: "rollout"; readonly rolloutId: number };

const DIALOG = "dialog";
const ROLLOUT = "rollout";

export function readFirmwareAddress(params: URLSearchParams): FirmwareDialog | null {
  const dialog = params.get(DIALOG);
  if (dialog === "deploy-firmware") return { kind: "deploy" };
  if (dialog !== "firmware") return null;
  const rollout = params.get(ROLLOUT) ?? "";
  return /^[1-9]\d{0,9}$/.test(rollout) ? { kind: "rollout", rolloutId: Number(rollout) } : { kind: "list" };
}

/** The address with another dialog, or none; what is not of firmware is kept. */
export function changeFirmwareAddress(params: URLSearchParams, dialog: FirmwareDialog | null): URLSearchParams {
  const next = new URLSearchParams(params);
  next.delete(ROLLOUT);
  if (dialog === null) next.delete(DIALOG);
  else next.set(DIALOG, dialog.kind === "deploy" ? "deploy-firmware" : "firmware");
  if (dialog?.kind === "rollout") next.set(ROLLOUT, String(dialog.rolloutId));
  return next;
}

export function useFirmwareAddress() {
  const [params, change] = useUrlParams();
  const show = useCallback(
    (dialog: FirmwareDialog | null, step: HistoryMode = dialog === null ? "replace" : "push") => {
      change((current) => changeFirmwareAddress(current, dialog), step);
    },
    [change],
  );
  return { dialog: readFirmwareAddress(params), show };
}
