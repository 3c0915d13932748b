import type { BrokerAccounts } from "../../platform/broker-accounts/broker-accounts.ts";

const MAX_NAMED = 5;

/** Lists the first few and counts the rest. */
function nameSome(serials: readonly string[]): string {
  const named = serials.slice(0, MAX_NAMED).join(", ");
  const others = serials.length - MAX_NAMED;
  return others > 0 ? `${named} and ${others} more` : named;
}

const devices = (serials: readonly string[]) =>
  serials.length === 1 ? `Device ${serials[0]}` : `${serials.length} devices`;

const unsure = "the broker may already use one that nobody has seen.";
const manual = "Suncrew does not manage your broker's accounts:";

export const deviceMessages = {
  noRange: (max: number) =>
    `A range counts up the digits at the end, such as SCR-1021 to SCR-1040, and has at most ${max} devices`,
  taken: (serials: readonly string[]) =>
    serials.length === 1
      ? `The serial number ${serials[0]} is taken. Nothing was provisioned.`
      : `These serial numbers are taken: ${nameSome(serials)}. Nothing was provisioned.`,
  nothingProvisioned: (reason: string) => `${reason} Nothing was provisioned.`,
  provisioned: (serials: readonly string[], partner: string | null) =>
    `${devices(serials)} provisioned${partner === null ? "" : ` for ${partner}`}`,
  provisionedElsewhere: "Somebody else is provisioning devices. Nothing was provisioned; try again in a moment.",
  provisioningLockLost:
    "The connection to the database was lost in the meantime. Nothing was provisioned; please try again.",
  enterSecrets: (count: number) => `${manual} enter ${count === 1 ? "the secret" : "the secrets"} there.`,
  allocated: (serials: readonly string[], partner: string, isOperator: boolean) =>
    isOperator ? `${devices(serials)} taken back to ${partner}` : `${devices(serials)} allocated to ${partner}`,
  notAllocatedRetired: (serials: readonly string[]) =>
    serials.length === 1
      ? `The device ${serials[0]} has been retired. Nothing was allocated.`
      : `These devices have been retired: ${nameSome(serials)}. Nothing was allocated.`,
  notAllocatedAssigned: (serials: readonly string[]) =>
    serials.length === 1
      ? `A robot has the device ${serials[0]}, so it stays with the partner of the robot's site. Nothing was allocated.`
      : `Robots have these devices, so they stay with the partners of the robots' sites: ${nameSome(serials)}. Nothing was allocated.`,
  rotated: (serial: string) => `Device ${serial} has a new secret`,
  notRotated: (reason: string, mayHaveChanged: boolean) =>
    mayHaveChanged ? `${reason} Rotate the secret again: ${unsure}` : `${reason} The device keeps its secret.`,
  notStored: (serial: string) => `The new secret of ${serial} could not be stored. Rotate it again: ${unsure}`,
  rotatedElsewhere: (serial: string) =>
    `Somebody else is giving the device ${serial} a new secret. Try again in a moment.`,
  notRotatedMoving: (serial: string, why: string) =>
    `The device ${serial} cannot be given a new secret now: its robot would lose its connection. ${why}`,
  enterNewSecret: `${manual} enter the new secret there. The old one stays valid until then.`,
  retired: (serial: string) => `Device ${serial} retired`,
  retiredAlready: (serial: string) => `The device ${serial} was retired.`,
  notRetired: (serial: string, why: string) => `The device ${serial} cannot be retired now. ${why}`,
  retiredButPending: (serial: string) =>
    `Device ${serial} retired. The broker could not be updated yet; Suncrew keeps trying until it succeeds.`,
  deleteAccount: "Suncrew ignores it from now on; delete its account at your broker too.",
} as const;

/** Adds the remaining step for operators who manage broker accounts manually. */
export function withManualStep(form: BrokerAccounts["form"], message: string, step: string): string {
  return form === "manual" ? `${message}. ${step}` : message;
}
