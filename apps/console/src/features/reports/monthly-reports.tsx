import { Box, Button, Group, NativeSelect } from "@mantine/core";
import { makeMonthlyReport, type MonthlyReport, monthlyReports } from "@suncrew/contract/reports/reports.ts";
import type { Site } from "@suncrew/contract/sites/sites.ts";
import { IconDownload, IconMail } from "@tabler/icons-react";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";
import { call } from "../../platform/api/call.ts";
import { change } from "../../platform/api/change.ts";
import { pagedQuery } from "../../platform/api/paged-query.ts";
import { queryKeyOf } from "../../platform/api/route-query.ts";
import { OlderButton } from "../../platform/paged-list.tsx";
import { QueryState } from "../../platform/query-state.tsx";
import { toast } from "../../platform/toast.tsx";
import { todayIn } from "../../ui/days.ts";
import { IconButton } from "../../ui/icon-button.tsx";
import { useBusy } from "../../ui/use-busy.ts";
import { useNow } from "../../ui/use-now.ts";
import { EmptyState } from "../../ui/empty-state.tsx";
import { SkeletonLines } from "../../ui/skeletons.tsx";
import { StateBadge } from "../../ui/state-badge.tsx";
import { downloadMonthlyReport, failureMessage } from "./download-report.ts";
import { ReportMailDialog } from "./report-mail-dialog.tsx";
import { mailLook, reportLook } from "./report-looks.ts";
import shared from "../../ui/shared.module.css";
import classes from "./site-reports.module.css";

const month = new Intl.DateTimeFormat("en-GB", { month: "long", year: "numeric", timeZone: "UTC" });
const PAGE_ROWS = 50;
/** While a report is being generated or sent. */
const REFETCH_INTERVAL_MS = 3_000;

const isUnderWay = ({ status, mail_status }: MonthlyReport) => status === "PENDING" || mail_status === "PENDING";

export interface MonthlyReportsProps {
  /** Null: those of all sites. */
  readonly siteId: number | null;
  /** With that id; null while it is not known. */
  readonly site: Pick<Site, "id" | "name" | "timezone"> | null;
}

/** The automatic monthly reports, newest first. */
export function MonthlyReports({ siteId, site }: MonthlyReportsProps) {
  const filter = { ...(siteId !== null && { site_id: siteId }), limit: PAGE_ROWS };
  const paged = pagedQuery(monthlyReports, filter, (query, signal) => call(monthlyReports, { query }, { signal }));
  const list = useInfiniteQuery({
    ...paged,
    refetchInterval: ({ state }) =>
      state.data?.pages.some(({ reports }) => reports.some(isUnderWay)) === true ? REFETCH_INTERVAL_MS : false,
  });
  return (
    <section className={`${shared["card"]} ${classes["monthly"]}`} aria-labelledby="monthly-reports">
      <Box component="h2" id="monthly-reports" fz={15} fw={600}>
        Monthly reports
        {site !== null && (
          <Box component="span" fw={400} c="dimmed">
            {" "}
            of {site.name}
          </Box>
        )}
      </Box>
      {site !== null && <PastMonth key={site.id} site={site} />}
      <QueryState
        query={list}
        loading={<SkeletonLines label="Loading monthly reports..." lines={3} />}
        failed="The monthly reports could not be loaded."
      >
        {({ pages }) => {
          const reports = pages.flatMap((page) => page.reports);
          return reports.length === 0 ? (
            <EmptyState
              title={siteId === null ? "No monthly reports yet" : "No monthly reports of this site yet"}
              message="If monthly reports are on, last month's report of every site is generated on the first day of each month."
            />
          ) : (
            <ul aria-label="Monthly reports, newest first">
              {reports.map((report) => (
                <MonthlyReportRow key={report.id} report={report} />
              ))}
            </ul>
          );
        }}
      </QueryState>
      <OlderButton list={list} size="xs" className={classes["older"]} />
      {list.isFetchNextPageError && (
        <Box component="p" fz={13} ta="center" c="var(--sc-danger)" role="alert">
          Older monthly reports could not be loaded.
        </Box>
      )}
    </section>
  );
}

/** As many as are offered. */
const PAST_MONTHS = 24;

/** Has the report of a past month generated, such as one from before monthly reports were on. */
function PastMonth({ site }: { readonly site: Pick<Site, "id" | "timezone"> }) {
  const [isBusy, run] = useBusy();
  const [year = 1970, thisMonth = 1] = todayIn(site.timezone, useNow()).split("-").map(Number);
  const months = Array.from({ length: PAST_MONTHS }, (_, nth) => {
    const first = new Date(Date.UTC(year, thisMonth - 2 - nth, 1));
    return { value: first.toISOString().slice(0, 7), label: month.format(first) };
  });
  const [chosen, setChosen] = useState<string | null>(null);
  const make = () =>
    run(() =>
      change({
        send: () => call(makeMonthlyReport, { body: { site_id: site.id, month: chosen ?? months[0]?.value ?? "" } }),
        invalidates: [queryKeyOf(monthlyReports)],
        success: ({ message }) => ({ title: "Report Being Generated", message }),
        failure: { title: "Report Not Generated", message: "Nothing was changed. Please try again." },
      }),
    );
  return (
    <Group gap={8} align="end" my={8}>
      <NativeSelect
        label="Past month"
        data={months}
        value={chosen ?? months[0]?.value}
        onChange={(event) => setChosen(event.currentTarget.value)}
      />
      <Button variant="default" loading={isBusy} onClick={() => void make()}>
        Generate
      </Button>
    </Group>
  );
}

function MonthlyReportRow({ report }: { readonly report: MonthlyReport }) {
  const [isBusy, setBusy] = useState(false);
  const [isMailOpen, setMailOpen] = useState(false);
  const { site_name, template_name, status, reason, bytes, mail_status, mail_reason } = report;
  const name = month.format(new Date(`${report.month}-01T00:00:00Z`));
  const save = async () => {
    setBusy(true);
    try {
      await downloadMonthlyReport(report);
    } catch (error) {
      toast.failure({ title: "Download Failed", message: failureMessage(error) });
    } finally {
      setBusy(false);
    }
  };
  return (
    <li className={classes["report"]}>
      <span className={classes["month"]} style={{ "--area": "month" }}>
        {name}
      </span>
      <span className={classes["site"]} style={{ "--area": "site" }}>
        {site_name}
        <span className={`${shared["muted"]} ${classes["minor"]}`}>{template_name ?? "All sections"}</span>
      </span>
      <span className={classes["state"]} style={{ "--area": "state" }}>
        <StateBadge look={reportLook[status]} />
        {reason !== null && <span className={`${shared["muted"]} ${classes["minor"]}`}>{reason}</span>}
      </span>
      <span className={classes["state"]} style={{ "--area": "mail" }}>
        {mail_status !== "NONE" && <StateBadge look={mailLook[mail_status]} />}
        {mail_reason !== null && <span className={`${shared["muted"]} ${classes["minor"]}`}>{mail_reason}</span>}
      </span>
      <span className={classes["size"]} style={{ "--area": "size" }}>
        {bytes !== null && `${Math.ceil(bytes / 1024).toLocaleString("en-GB")} kB`}
      </span>
      <span className={classes["actions"]} style={{ "--area": "action" }}>
        {status === "READY" && (
          <IconButton
            label="Send and preview"
            icon={IconMail}
            size={34}
            aria-label={`Send and preview the report of ${site_name}, ${name}`}
            onClick={() => setMailOpen(true)}
          />
        )}
        {isMailOpen && <ReportMailDialog report={report} name={name} onClose={() => setMailOpen(false)} />}
        {status === "READY" && (
          <IconButton
            label="Download"
            icon={IconDownload}
            size={34}
            aria-label={`Download the report of ${site_name}, ${name}`}
            loading={isBusy}
            onClick={() => void save()}
          />
        )}
      </span>
    </li>
  );
}
