import { Alert, Button, Group, Select, TextInput } from "@mantine/core";
import type { ReportTemplate } from "@suncrew/contract/report-templates/report-templates.ts";
import type { Site } from "@suncrew/contract/sites/sites.ts";
import { IconAlertCircle, IconFileTypeCsv, IconFileTypePdf, IconX } from "@tabler/icons-react";
import { DisabledReason } from "../../ui/disabled-reason.tsx";
import { useNow } from "../../ui/use-now.ts";
import { quickRanges, type ReportChoice, todayIn, whyNotYet, wrongDays } from "./report-choice.ts";
import { useDownload } from "./use-download.ts";
import classes from "./site-reports.module.css";

const ALL_SECTIONS = "all";
/** Of thousands of sites so many are listed; words find the others. */
const LISTED_SITES = 100;

export interface ReportFormProps {
  readonly sites: readonly Site[];
  /** The active ones; null where they could not be had. */
  readonly templates: readonly ReportTemplate[] | null;
  readonly choice: ReportChoice;
  readonly onChange: (change: Partial<ReportChoice>) => void;
}

/** §2 Site Reports: choose a site and days, then download. */
export function ReportForm({ sites, templates, choice, onChange }: ReportFormProps) {
  const download = useDownload(() => onChange({ siteId: null, from: "", to: "", templateId: null }));
  const now = useNow();
  const site = sites.find(({ id }) => id === choice.siteId);
  const isMissing = choice.siteId !== null && site === undefined;
  const today = todayIn(site?.timezone, now);
  const obstacle = isMissing ? "Site not found" : whyNotYet(choice);
  const change = (part: Partial<ReportChoice>) => {
    download.forget();
    onChange(part);
  };
  const begin = (kind: "pdf" | "csv") => {
    if (obstacle === null && site !== undefined) void download.begin({ site, choice, kind });
  };
  const isBusy = download.busy !== null;
  const failure = isMissing ? "Site not found" : download.failure;
  const template = templates?.find(({ id }) => id === choice.templateId);
  return (
    <form
      className={classes["form"]}
      aria-label="Site report"
      onSubmit={(event) => {
        event.preventDefault();
        begin("pdf");
      }}
    >
      <div className={classes["fields"]}>
        <Select
          label="Site"
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
        <TextInput
          label="Start date"
          type="date"
          withAsterisk
          disabled={isBusy}
          max={today}
          value={choice.from}
          onChange={(event) => change({ from: event.currentTarget.value })}
        />
        <TextInput
          label="End date"
          type="date"
          withAsterisk
          disabled={isBusy}
          error={wrongDays(choice)}
          value={choice.to}
          onChange={(event) => change({ to: event.currentTarget.value })}
        />
        <Select
          label="Template"
          disabled={isBusy}
          allowDeselect={false}
          data={[
            { value: ALL_SECTIONS, label: "All sections" },
            ...(templates ?? []).map(({ id, name }) => ({ value: String(id), label: name })),
          ]}
          value={template === undefined ? ALL_SECTIONS : String(template.id)}
          onChange={(id) => change({ templateId: id === null || id === ALL_SECTIONS ? null : Number(id) })}
          {...(templates === null && { description: "Templates could not be loaded." })}
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
      <Group gap={8}>
        <DisabledReason reason={isBusy ? "The report is being made." : obstacle}>
          <Button type="submit" leftSection={<IconFileTypePdf size={16} aria-hidden />}>
            {download.busy === "pdf" ? "Generating..." : "Download"}
          </Button>
        </DisabledReason>
        <DisabledReason reason={isBusy ? "The report is being made." : obstacle}>
          <Button
            variant="default"
            leftSection={<IconFileTypeCsv size={16} aria-hidden />}
            onClick={() => begin("csv")}
          >
            {download.busy === "csv" ? "Generating..." : "Download CSV"}
          </Button>
        </DisabledReason>
        {isBusy && (
          <Button variant="subtle" leftSection={<IconX size={16} aria-hidden />} onClick={download.cancel}>
            Cancel
          </Button>
        )}
        <span className={classes["progress"]} role="status">
          {isBusy && download.bytes > 0 && `${(download.bytes / 1024).toFixed(0)} kB received`}
        </span>
      </Group>
    </form>
  );
}
