import type { BrokerAccounts } from "../../platform/broker-accounts/broker-accounts.ts";

const NAMED_AT_MOST = 5;

/** Names a few of many. */
export function someOf(serials: readonly string[]): string {
  const named = serials.slice(0, NAMED_AT_MOST).join(", ");
  const others = serials.length - NAMED_AT_MOST;
  return others > 0 ? `${named} and ${others} more` : named;
}

const devices = (serials: readonly string[]) =>
  serials.length === 1 ? `Device ${serials[0]}` : `${serials.length} devices`;

const unsure = "the broker may have one that nobody was told.";

/** What is told about devices, for people. */
export const deviceSentences = {
  noRange: (most: number) =>
    `A range is counted up in the last digits, such as SCR-1021 to SCR-1040, and has at most ${most} devices`,
  taken: (serials: readonly string[]) =>
    serials.length === 1
      ? `The serial number ${serials[0]} is taken. Nothing was provisioned.`
      : `These serial numbers are taken: ${someOf(serials)}. Nothing was provisioned.`,
  nothingProvisioned: (reason: string) => `${reason} Nothing was provisioned.`,
  provisioned: (serials: readonly string[], partner: string | null) =>
    `${devices(serials)} provisioned${partner === null ? "" : ` for ${partner}`}`,
  allocated: (serials: readonly string[], partner: string, isOperator: boolean) =>
    isOperator ? `${devices(serials)} taken back to ${partner}` : `${devices(serials)} allocated to ${partner}`,
  notAllocatedRetired: (serials: readonly string[]) =>
    serials.length === 1
      ? `The device ${serials[0]} has been retired. Nothing was allocated.`
      : `These devices have been retired: ${someOf(serials)}. Nothing was allocated.`,
  notAllocatedAssigned: (serials: readonly string[]) =>
    serials.length === 1
      ? `A robot has the device ${serials[0]}, so it stays with the partner of the robot's site. Nothing was allocated.`
      : `Robots have these devices, so they stay with the partners of the robots' sites: ${someOf(serials)}. Nothing was allocated.`,
  rotated: (serial: string) => `Device ${serial} has a new secret`,
  notRotated: (reason: string, mayHaveChanged: boolean) =>
    mayHaveChanged ? `${reason} Rotate the secret again: ${unsure}` : `${reason} The device keeps its secret.`,
  notStored: (serial: string) => `The new secret of ${serial} could not be stored. Rotate it again: ${unsure}`,
  rotatedElsewhere: (serial: string) =>
    `Somebody else is giving the device ${serial} a new secret. Try again in a moment.`,
  provisionedElsewhere: "Somebody else is provisioning devices. Nothing was provisioned; try again in a moment.",
  notHeld: "The database was away meanwhile. Nothing was provisioned; try again.",
  notRotatedMoving: (serial: string, why: string) =>
    `The device ${serial} cannot be given a new secret now: its robot would lose its connection. ${why}`,
  notRetired: (serial: string, why: string) => `The device ${serial} cannot be retired now. ${why}`,
  retired: (serial: string) => `Device ${serial} retired`,
  retiredAlready: (serial: string) => `The device ${serial} was retired.`,
  retiredUntold: (serial: string) =>
    `Device ${serial} retired. The broker could not be told yet; it is told again until it has taken it.`,
} as const;

/** What is left to do for a person who keeps the broker's accounts. */
export function withManualStep(form: BrokerAccounts["form"], message: string, step: string): string {
  return form === "manual" ? `${message}. ${step}` : message;
}
