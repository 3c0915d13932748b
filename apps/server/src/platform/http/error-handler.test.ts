import Fastify from "fastify";
import pino from "pino";
import { expect, test } from "vitest";
import { ManualClock } from "../clock.ts";
import { ThrottledLog } from "../throttle.ts";
import { copyError, errorFromCopy } from "../workers/worker-task.ts";
import { useErrorHandler } from "./error-handler.ts";

const ADVICE = "Nothing can be stored until this is fixed. Please try again later.";
const OWN_DISK = "This server's disk is full or cannot be written. Please try again later.";
const DATABASE_DISK = `The database's disk is full or cannot be written. ${ADVICE}`;

test.each([
  ["ENOSPC", "ENOSPC: no space left on device, write", OWN_DISK],
  ["EDQUOT", "EDQUOT: disk quota exceeded, write", OWN_DISK],
  ["EROFS", "EROFS: read-only file system, open '/var/lib/suncrew/x'", OWN_DISK],
  ["53100", 'could not extend file "base/5/16384"', DATABASE_DISK],
  ["XX000", 'could not extend file "base/5/16384": Disk quota exceeded', DATABASE_DISK],
  ["42501", 'could not open file "base/5/16384": Read-only file system', DATABASE_DISK],
  [
    "25006",
    "cannot execute INSERT in a read-only transaction",
    `The database can only be read at the moment. ${ADVICE}`,
  ],
])("set-up: an unwritable disk, %s, is answered with 503, from a worker too", async (code, message, expected) => {
  const app = Fastify();
  const log = new ThrottledLog(pino({ level: "silent" }), new ManualClock(new Date("2026-06-15T06:30:00Z")));
  useErrorHandler(app, log);
  const failure = Object.assign(new Error(message), { code });
  app.get("/here", () => Promise.reject(failure));
  app.get("/worker", () => Promise.reject(errorFromCopy(copyError(failure))));
  for (const url of ["/here", "/worker"]) {
    const answer = await app.inject(url);
    const refused = expected === OWN_DISK ? "SERVER_DISK_FULL" : "DATABASE_UNWRITABLE";
    expect([answer.statusCode, answer.json()]).toEqual([503, { message: expected, code: refused }]);
  }
  await app.close();
  await log.stop();
});
