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
import { TokenExpiredError, messageOf } from "../../platform/api/errors.ts";
import { queryClient } from "../../platform/api/query-client.ts";
import { queryKeyOf } from "../../platform/api/route-query.ts";
import { toast } from "../../platform/toast.tsx";

/** Secrets that were just made, and what is left to do with them. */
export interface NewSecrets {
  readonly message: string;
  readonly secrets: readonly DeviceSecret[];
}

/** Provisions devices; null where it failed, which a toast has told. Never throws. */
export async function provision(body: BodyOf<typeof provisionDevices>): Promise<NewSecrets | null> {
  return told("Provisioning Failed", "No device was provisioned.", async () => {
    // A broker takes its time for a thousand accounts, and secrets whose answer nobody heard are lost.
    const { message, devices } = await call(provisionDevices, { body }, { timeoutMs: null });
    return { message, secrets: devices };
  });
}

/** Allocates devices to a partner and says so; false where it failed, which a toast has told. Never throws. */
export async function allocate(body: BodyOf<typeof allocateDevices>): Promise<boolean> {
  const answer = await told("Allocation Failed", "No device was allocated.", () => call(allocateDevices, { body }));
  if (answer === null) return false;
  toast.success({ title: "Devices Allocated", message: answer.message });
  return true;
}

/** Gives a device a new secret; null where it failed, which a toast has told. Never throws. */
export async function rotate(serial: string): Promise<NewSecrets | null> {
  return told("Rotation Failed", `Device ${serial} has no new secret.`, async () => {
    const { message, secret } = await call(rotateDeviceSecret, { params: { serial } }, { timeoutMs: null });
    return { message, secrets: [{ serial, secret }] };
  });
}

/** Retires a device and says so. Never throws. */
export async function retire(serial: string): Promise<void> {
  const answer = await told("Retirement Failed", `Device ${serial} was not retired.`, () =>
    call(retireDevice, { params: { serial } }, { timeoutMs: null }),
  );
  if (answer !== null) toast.success({ title: "Device Retired", message: answer.message });
}

async function told<T>(title: string, message: string, work: () => Promise<T>): Promise<T | null> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof TokenExpiredError) return null;
    toast.failure({ title, message, reason: messageOf(error) });
    return null;
  } finally {
    await readDevicesAgain();
  }
}

/** The list, and the serial numbers that robots can be given. */
async function readDevicesAgain(): Promise<void> {
  const keys = [queryKeyOf(deviceList), queryKeyOf(serialNumbers)];
  await Promise.all(keys.map((queryKey) => queryClient.invalidateQueries({ queryKey })));
}
