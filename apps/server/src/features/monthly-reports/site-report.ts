import type { Readable } from "node:stream";
import { MAINTENANCE_INTERVAL_DAYS } from "@suncrew/domain/reports/maintenance-due.ts";
import { HttpError } from "../../platform/http/http-error.ts";
import type { Dependencies } from "../../platform/dependencies.ts";
import type { Viewer } from "../../platform/sessions.ts";
import { workOwnerOf, type Workers } from "../../platform/workers/workers.ts";
import { reportPdfTask } from "../reports/public.ts";
import type { MakeReport } from "./make-report.ts";

/** Who makes the monthly reports: the server itself, for every site. */
const suncrew: Viewer = {
  userId: 0,
  name: "Suncrew",
  email: "",
  role: "SUPER_ADMIN",
  partnerId: null,
  sessionId: "",
};

/** The largest report that is kept, in bytes; one of 2,000 rows has not a tenth of it. */
const MOST_BYTES = 24 * 1_024 * 1_024;

/** Makes reports as a person gets them who asks for the same range. */
export function siteReports(
  { clock, settings }: Pick<Dependencies, "clock" | "settings">,
  workers: Workers,
): MakeReport {
  const maintenanceIntervalDays = settings.maintenanceIntervalDays ?? MAINTENANCE_INTERVAL_DAYS;
  return async ({ siteId, from, to, sections, signal }) => {
    try {
      const given = {
        viewer: suncrew,
        asked: { siteId, from, to },
        now: clock.now(),
        maintenanceIntervalDays,
        templateId: null,
        sections,
      };
      const { value, bytes } = await workers.make(reportPdfTask, given, { asker: workOwnerOf(suncrew), signal });
      return { kind: "made", pdf: await collected(bytes, signal), partnerId: value.partnerId };
    } catch (error) {
      // §8: a range without activity has no report.
      if (error instanceof HttpError && error.status === 404) return { kind: "empty", reason: error.message };
      throw error;
    }
  };
}

async function collected(stream: Readable, signal: AbortSignal): Promise<Buffer> {
  const deps: Buffer[] = [];
  let bytes = 0;
  for await (const part of stream) {
    signal.throwIfAborted();
    // A stream of bytes, as PDFs are.
    if (!Buffer.isBuffer(part)) throw new TypeError("a report that is not written in bytes");
    bytes += part.length;
    if (bytes > MOST_BYTES) throw new RangeError(`a report larger than ${MOST_BYTES} bytes`);
    deps.push(part);
  }
  return Buffer.concat(deps);
}
