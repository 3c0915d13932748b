import type { ReportAsked } from "./read-report.ts";

/**
 * §9: `<site>_report_<from>_to_<to>.<ending>` with the dates, as a Content-Disposition: plain characters for old programs,
 * the true name for all others (RFC 6266).
 */
export function attachmentOf(siteName: string, { from, to }: ReportAsked, ending: "pdf" | "csv"): string {
  const rest = `_report_${from.slice(0, 10)}_to_${to.slice(0, 10)}.${ending}`;
  const name = siteName
    .normalize("NFC")
    // What a file system, a header or a shell takes for something else; the joiners of Indian scripts stay.
    .replaceAll(/(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}<>:"/\\|?*;%]/gu, " ")
    .replaceAll(/\s+/gu, " ")
    .trim()
    .replace(/^\.+|\.+$/g, "");
  const plain = name
    .normalize("NFKD")
    .replaceAll(/[^\x20-\x7e]/g, "")
    .trim();
  const encoded = encodeURIComponent(`${name || "site"}${rest}`).replaceAll(
    /['()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${plain || "site"}${rest}"; filename*=UTF-8''${encoded}`;
}
