import { textsOf } from "@suncrew/contract/http/coded-text.ts";

/**
 * Why there is no monthly report, or no mail with it. A code keeps its parameters for good, because stored rows have
 * them.
 */
export const reportTexts = textsOf({
  /** §8. */
  NO_ACTIVITY: () => "No activity logs found between these dates",
  SITE_DELETED: ({ before }: { readonly before: "generated" | "sent" }) =>
    `The site was deleted before ${before === "generated" ? "its report was generated" : "the report was sent"}.`,
  REPORT_SERVERS_STOPPED: () => "Every server that tried to generate it stopped before it was done.",
  REPORT_BEFORE_RESTORE: () =>
    "Suncrew was restored from a backup before it was generated: it may have been generated and sent already.",
  REPORT_FAILED: ({ retried }: { readonly retried: boolean }) =>
    `The report could not be generated. See the server's log for the reason.${retried ? " It will be tried again." : ""}`,
  CONTACT_REMOVED: () => "The contact was deleted, or gets no reports of this site any more.",
  CONTACT_PAUSED: () => "The contact was paused.",
  CONTACT_UNSUBSCRIBED: () => "The contact has unsubscribed.",
  CONTACTS_OFF: () => "Every contact of the site for its reports is paused or has unsubscribed.",
  NOTIFICATIONS_OFF: () => "Email notifications were switched off before the report was sent.",
});
