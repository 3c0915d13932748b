import { Alert, Button, Group, Select } from "@mantine/core";
import type { ReportTemplate } from "@suncrew/contract/report-templates/report-templates.ts";
import type { Site } from "@suncrew/contract/sites/sites.ts";
import { IconAlertCircle, IconFileTypeCsv, IconFileTypePdf, IconX } from "@tabler/icons-react";
import { useCallback, useEffect, useRef, useState } from "react";
import { TokenExpiredError } from "../../platform/api/errors.ts";
import { DayField } from "../../ui/day-field.tsx";
import { todayIn } from "../../ui/days.ts";
import { DisabledReason } from "../../ui/disabled-reason.tsx";
import { useNow } from "../../ui/use-now.ts";
import {
  type Download,
  downloadReport,
  failureMessage,
  isTemplateUnavailable,
  type ReportKind,
} from "./download-report.ts";
import { quickRanges, type ReportChoice, downloadBlockedReason, wrongDays } from "./report-choice.ts";
import classes from "./site-reports.module.css";

interface DownloadState {
  /** What is being generated, if anything. */
  readonly busy: ReportKind | null;
  /** Bytes received so far. */
  readonly bytes: number;
  /** §8: why the last one failed; null if it did not. */
  readonly failure: string | null;
  /** The name of the file that has just been saved. */
  readonly saved: string | null;
}

const IDLE: DownloadState = { busy: null, bytes: 0, failure: null, saved: null };

interface After {
  readonly onDone: () => void;
  /** The template that was chosen is no longer available. */
  readonly onTemplateUnavailable: () => void;
}

/** §4 Report download: idle, generating, then saved. Leaving the page cancels it. */
function useDownload({ onDone, onTemplateUnavailable }: After) {
  const [state, setState] = useState(IDLE);
  const current = useRef<AbortController | null>(null);
  useEffect(() => () => current.current?.abort(), []);
  const begin = async (wanted: Omit<Download, "signal" | "onBytes">): Promise<void> => {
    if (current.current !== null) return;
    const attempt = new AbortController();
    current.current = attempt;
    setState({ ...IDLE, busy: wanted.kind });
    try {
      const saved = await downloadReport({
        ...wanted,
        signal: attempt.signal,
        onBytes: (bytes) => setState((was) => ({ ...was, bytes })),
      });
      setState({ ...IDLE, saved });
      onDone();
    } catch (error) {
      const isShownElsewhere = attempt.signal.aborted || error instanceof TokenExpiredError;
      setState({ ...IDLE, failure: isShownElsewhere ? null : failureMessage(error) });
      if (isTemplateUnavailable(error)) onTemplateUnavailable();
    } finally {
      current.current = null;
    }
  };
  const cancel = useCallback(() => current.current?.abort(), []);
  const forget = useCallback(() => setState((was) => (was.busy === null ? IDLE : was)), []);
  return { ...state, begin, cancel, forget };
}

const ALL_SECTIONS = "all";
/** Of thousands of sites only this many are listed; the search finds the others. */
const LISTED_SITES = 100;

interface ReportFormProps {
  readonly sites: readonly Site[];
  /** The active ones; null while they are not known. */
  readonly templates: readonly ReportTemplate[] | null;
  readonly haveTemplatesFailed: boolean;
  readonly choice: ReportChoice;
  readonly onChange: (change: Partial<ReportChoice>) => void;
  /** The server says that the chosen template is no longer available. */
  readonly onTemplateUnavailable: () => void;
}

const UNAVAILABLE_TEMPLATE = "This template is no longer available.";

/** §2 Site Reports: choose a site and dates, then download. */
export function ReportForm(props: ReportFormProps) {
  const { sites, templates, haveTemplatesFailed, choice, onChange, onTemplateUnavailable } = props;
  const download = useDownload({
    onDone: () => onChange({ siteId: null, from: "", to: "", templateId: null }),
    onTemplateUnavailable,
  });
  const now = useNow();
  const site = sites.find(({ id }) => id === choice.siteId);
  const isMissing = choice.siteId !== null && site === undefined;
  const today = todayIn(site?.timezone, now);
  const blockedReason = isMissing ? "Site not found" : downloadBlockedReason(choice);
  const template = templates?.find(({ id }) => id === choice.templateId);
  const isTemplateUnavailable = choice.templateId !== null && templates !== null && template === undefined;
  // The CSV has all activity, whatever the template.
  const pdfBlockedReason =
    blockedReason ?? (isTemplateUnavailable ? `${UNAVAILABLE_TEMPLATE} Choose another one.` : null);
  const change = (part: Partial<ReportChoice>) => {
    download.forget();
    onChange(part);
  };
  const begin = (kind: "pdf" | "csv") => {
    const isStopped = kind === "pdf" ? pdfBlockedReason : blockedReason;
    if (isStopped === null && site !== undefined) void download.begin({ site, choice, kind });
  };
  const isBusy = download.busy !== null;
  const failure = isMissing ? "Site not found" : download.failure;
  return (
    <form
      className={classes["form"]}
      aria-label="Site report"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        begin("pdf");
      }}
    >
      <div className={classes["fields"]}>
        <Select
          label="Site"
          className={classes["wide"]}
          placeholder="Choose a site"
          withAsterisk
          searchable
          limit={LISTED_SITES}
          nothingFoundMessage="No site has this name"
          disabled={isBusy}
          data={sites.map(({ id, name }) => ({ value: String(id), label: name }))}
          value={site === undefined ? null : String(site.id)}
          onChange={(id) => change({ siteId: id === null ? null : Number(id) })}
        />
        <DayField
          withAsterisk
          label="Start date"
          disabled={isBusy}
          day={choice.from}
          onChange={(from) => change({ from })}
        />
        <DayField
          withAsterisk
          label="End date"
          disabled={isBusy}
          error={wrongDays(choice)}
          day={choice.to}
          onChange={(to) => change({ to })}
        />
        <Select
          label="Template"
          className={classes["wide"]}
          disabled={isBusy}
          allowDeselect={false}
          data={[
            { value: ALL_SECTIONS, label: "All sections" },
            ...(templates ?? []).map(({ id, name }) => ({ value: String(id), label: name })),
          ]}
          placeholder="Choose a template"
          value={isTemplateUnavailable ? null : template === undefined ? ALL_SECTIONS : String(template.id)}
          onChange={(id) => change({ templateId: id === null || id === ALL_SECTIONS ? null : Number(id) })}
          error={isTemplateUnavailable ? UNAVAILABLE_TEMPLATE : haveTemplatesFailed && "Templates could not be loaded."}
        />
      </div>
      <Group gap={6} role="group" aria-label="Quick ranges">
        {quickRanges(today).map(({ label, from, to }) => (
          <Button
            key={label}
            size="compact-sm"
            variant="default"
            disabled={isBusy}
            onClick={() => change({ from, to })}
          >
            {label}
          </Button>
        ))}
        <span className={classes["zone"]}>
          {site === undefined ? "Days are those of the site's own time." : `Days by the clocks of ${site.timezone}.`}
        </span>
      </Group>
      {failure !== null && (
        <Alert color="red" icon={<IconAlertCircle size={18} aria-hidden />} role="alert">
          {failure}
        </Alert>
      )}
      <DownloadButtons
        download={download}
        blockedReason={blockedReason}
        pdfBlockedReason={pdfBlockedReason}
        onCsv={() => begin("csv")}
      />
    </form>
  );
}

const GENERATING = "The report is being generated.";

interface DownloadButtonsProps {
  readonly download: ReturnType<typeof useDownload>;
  /** Why nothing can be downloaded now; null if it can. */
  readonly blockedReason: string | null;
  readonly pdfBlockedReason: string | null;
  readonly onCsv: () => void;
}

/** §4 Report download: the buttons, and the progress. The PDF's button submits the form. */
function DownloadButtons({ download, blockedReason, pdfBlockedReason, onCsv }: DownloadButtonsProps) {
  const pdf = useRef<HTMLButtonElement>(null);
  const { busy, bytes, saved } = download;
  const cancel = () => {
    download.cancel();
    // The pressed button disappears.
    pdf.current?.focus();
  };
  return (
    <Group gap={8}>
      <DisabledReason reason={busy === null ? pdfBlockedReason : GENERATING}>
        <Button ref={pdf} type="submit" leftSection={<IconFileTypePdf size={16} aria-hidden />}>
          {busy === "pdf" ? "Generating..." : "Download"}
        </Button>
      </DisabledReason>
      <DisabledReason reason={busy === null ? blockedReason : GENERATING}>
        <Button variant="default" leftSection={<IconFileTypeCsv size={16} aria-hidden />} onClick={onCsv}>
          {busy === "csv" ? "Generating..." : "Download CSV"}
        </Button>
      </DisabledReason>
      {busy !== null && (
        <Button variant="subtle" leftSection={<IconX size={16} aria-hidden />} onClick={cancel}>
          Cancel
        </Button>
      )}
      <span className={classes["progress"]} role="status">
        {busy !== null && bytes > 0 && `${Math.ceil(bytes / 1024).toLocaleString("en-GB")} kB received`}
        {saved !== null && `${saved} has been downloaded.`}
      </span>
    </Group>
  );
}
