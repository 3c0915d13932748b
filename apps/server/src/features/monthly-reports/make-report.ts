import type { PrintedSection } from "@suncrew/domain/report-templates/template-sections.ts";

/** The report of a site over a month, to be made with these sections. */
export interface ReportOrder {
  readonly siteId: number;
  readonly siteName: string;
  /** 'YYYY-MM-DD HH:MM:SS', local time at the site. */
  readonly from: string;
  /** Its second is part of the range. */
  readonly to: string;
  readonly sections: readonly PrintedSection[];
  /** Aborted when nobody waits for it any more. */
  readonly signal: AbortSignal;
}

export type MadeReport =
  /** `partnerId` is the partner that it tells of, whose site it was. */
  | { readonly kind: "made"; readonly pdf: Buffer; readonly partnerId: number | null }
  /** The range has no activity; `reason` says so. */
  | { readonly kind: "empty"; readonly reason: string };

/** Makes a report; rejects where that fails, to be tried again. */
export type MakeReport = (order: ReportOrder) => Promise<MadeReport>;
