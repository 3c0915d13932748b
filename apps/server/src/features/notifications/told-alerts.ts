import { alertKindOf } from "@suncrew/domain/notifications/alert-kinds.ts";
import type { ToldAlert } from "@suncrew/domain/notifications/message.ts";
import { robotWithSerial } from "@suncrew/domain/robots/robot-name.ts";
import type { NoticedAlert } from "./notices.repository.ts";

/** An alert as messages tell it; `publicUrl` is where people reach the console, null if that is not known. */
export function toldAlert(alert: NoticedAlert, publicUrl: string | null, again = false): ToldAlert {
  const { id, source, code, severity, text, siteId, siteName, siteTimezone, robotId, robotName, serialNumber } = alert;
  const { raisedAt, clearedAt } = alert;
  const kind = alertKindOf(source, code);
  const url = publicUrl === null ? null : urlOf(alert, publicUrl);
  return {
    id: String(id),
    kind,
    severity,
    text,
    siteId,
    site: siteName,
    robotId,
    siteTimezone,
    robot: robotWithSerial(robotName, serialNumber),
    raisedAt,
    clearedAt,
    url,
    again,
  };
}

/** The page that shows what all of these are about: a robot's, a site's, or the first one. */
export function pageOf(alerts: readonly NoticedAlert[], publicUrl: string | null): string | null {
  if (publicUrl === null) return null;
  const urls = new Set(alerts.map((alert) => urlOf(alert, publicUrl)));
  const [url] = urls;
  if (url !== undefined && urls.size === 1) return url;
  const sites = new Set(alerts.map(({ siteId }) => siteId));
  const [siteId = null] = sites;
  return sites.size === 1 && siteId !== null ? siteUrl(siteId, publicUrl) : `${base(publicUrl)}/dashboard`;
}

/** The page of a robot, or else of a site, or else of all; as the console's `paths` has them. */
export function urlOf({ serialNumber, siteId }: Pick<NoticedAlert, "serialNumber" | "siteId">, publicUrl: string) {
  if (serialNumber !== null) return `${base(publicUrl)}/robots/${encodeURIComponent(serialNumber)}`;
  return siteId === null ? `${base(publicUrl)}/dashboard` : siteUrl(siteId, publicUrl);
}

const siteUrl = (siteId: number, publicUrl: string) => `${base(publicUrl)}/dashboard?site=${siteId}`;
const base = (publicUrl: string) => publicUrl.replace(/\/$/, "");
