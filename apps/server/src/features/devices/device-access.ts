import { createHash, timingSafeEqual } from "node:crypto";
import { parseTopic, robotLeaves, serverLeaves, topicOf } from "@suncrew/contract/devices/topics.ts";
import type { Db } from "../../platform/database/database.ts";
import { deviceSecretSha256, isKnownDevice } from "./devices.repository.ts";

/** What a provisioned device may do at the broker: its own topics only, and publish none that is the server's (rule 9). */
export interface DeviceAccess {
  signIn(serial: string, secret: string): Promise<boolean>;
  /** Provisioned at some time, also where it was retired since. */
  isDevice(name: string): Promise<boolean>;
  /** Provisioned and not retired. */
  isInService(serial: string): Promise<boolean>;
  mayPublish(serial: string, topic: string): boolean;
  maySubscribe(serial: string, filter: string): boolean;
}

export function deviceAccess(db: Db): DeviceAccess {
  return {
    async signIn(serial, secret) {
      const stored = await deviceSecretSha256(db, serial);
      const hash = hashDeviceSecret(secret);
      // Compared even if there is no such device, so that timing reveals nothing.
      const same = timingSafeEqual(stored ?? Buffer.alloc(hash.length), hash);
      return same && stored !== null;
    },
    isDevice: (name) => isKnownDevice(db, name),
    isInService: async (serial) => (await deviceSecretSha256(db, serial)) !== null,
    mayPublish(serial, topic) {
      const parsed = parseTopic(topic);
      return parsed !== null && parsed.serial === serial && robotLeaves.some((leaf) => leaf === parsed.leaf);
    },
    maySubscribe: (serial, filter) => serverLeaves.some((leaf) => filter === topicOf(serial, leaf)),
  };
}

/** What is stored of a device's secret: the secrets are long and random, so a plain hash is enough. */
export function hashDeviceSecret(secret: string): Buffer {
  return createHash("sha256").update(secret, "utf8").digest();
}
