import {
  allocateDevices,
  deviceList,
  provisionDevices,
  retireDevice,
  rotateDeviceSecret,
} from "@suncrew/contract/devices/devices.ts";
import type { BodyOf } from "@suncrew/contract/http/route.ts";
import type { DeviceSecret } from "@suncrew/contract/devices/devices.ts";
import { serialNumbers } from "@suncrew/contract/robots/robot-forms.ts";
import { call } from "../../platform/api/call.ts";
import { change } from "../../platform/api/change.ts";
import { messageOf } from "../../platform/api/errors.ts";
import { queryKeyOf } from "../../platform/api/route-query.ts";

/** Secrets that were just issued, with the server's message about them. */
export interface NewSecrets {
  readonly message: string;
  readonly secrets: readonly DeviceSecret[];
}

/** Provisions devices; null if it failed. */
export async function provision(body: BodyOf<typeof provisionDevices>): Promise<NewSecrets | null> {
  return changeDevices("Provisioning Failed", "No device was provisioned.", null, async () => {
    // No timeout: creating a thousand broker accounts takes a while, and secrets whose response is lost cannot be read again.
    const { message, devices } = await call(provisionDevices, { body }, { timeoutMs: null });
    return { message, secrets: devices };
  });
}

/** Allocates devices to a partner; false if it failed. */
export async function allocate(body: BodyOf<typeof allocateDevices>): Promise<boolean> {
  const send = () => call(allocateDevices, { body });
  return (await changeDevices("Allocation Failed", "No device was allocated.", "Devices Allocated", send)) !== null;
}

/** Gives a device a new secret; null if it failed. */
export async function rotate(serial: string): Promise<NewSecrets | null> {
  return changeDevices("Rotation Failed", `Device ${serial} has no new secret.`, null, async () => {
    const { message, secret } = await call(rotateDeviceSecret, { params: { serial } }, { timeoutMs: null });
    return { message, secrets: [{ serial, secret }] };
  });
}

/** Retires a device. */
export async function retire(serial: string): Promise<void> {
  await changeDevices("Retirement Failed", `Device ${serial} was not retired.`, "Device Retired", () =>
    call(retireDevice, { params: { serial } }, { timeoutMs: null }),
  );
}

/** Returns null if it failed. Without a success title no toast is shown: a dialog follows. */
async function changeDevices<T extends { readonly message: string }>(
  failed: string,
  failure: string,
  done: string | null,
  send: () => Promise<T>,
): Promise<T | null> {
  const outcome = await change({
    send,
    invalidates: [queryKeyOf(deviceList), queryKeyOf(serialNumbers)],
    success: ({ message }) => (done === null ? null : { title: done, message }),
    failure: { title: failed, message: failure },
    reasonOf: messageOf,
  });
  return outcome.kind === "done" ? outcome.answer : null;
}
