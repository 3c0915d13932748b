import "@mantine/core/styles/Combobox.layer.css";
import { Alert, Button, Group, Select } from "@mantine/core";
import type { ReportTemplate } from "@suncrew/contract/report-templates/report-templates.ts";
import type { Site } from "@suncrew/contract/sites/sites.ts";
import { IconAlertCircle } from "@tabler/icons-react";
import { DayField } from "../../ui/day-field.tsx";
import { todayIn } from "../../ui/days.ts";
import { useNow } from "../../ui/use-now.ts";
import { quickRanges, type ReportChoice, whyNotYet, wrongDays } from "./report-choice.ts";
import { DownloadButtons } from "./download-buttons.tsx";
import { useDownload } from "./use-download.ts";
import classes from "./site-reports.module.css";

const ALL_SECTIONS = "all";
/** Of thousands of sites so many are listed; words find the others. */
const LISTED_SITES = 100;

export interface ReportFormProps {
  readonly sites: readonly Site[];
  /** The active ones; null while they are not known. */
  readonly templates: readonly ReportTemplate[] | null;
  readonly haveTemplatesFailed: boolean;
  readonly choice: ReportChoice;
  readonly onChange: (change: Partial<ReportChoice>) => void;
  /** The server says that the chosen template is not offered any more. */
  readonly onTemplateAway: () => void;
}

const AWAY = "This template is not offered any more.";

/** §2 Site Reports: choose a site and days, then download. */
export function ReportForm(props: ReportFormProps) {
  const { sites, templates, haveTemplatesFailed, choice, onChange, onTemplateAway } = props;
  const download = useDownload({
    onDone: () => onChange({ siteId: null, from: "", to: "", templateId: null }),
    onTemplateAway,
  });
  const now = useNow();
  const site = sites.find(({ id }) => id === choice.siteId);
  const isMissing = choice.siteId !== null && site === undefined;
  const today = todayIn(site?.timezone, now);
  const obstacle = isMissing ? "Site not found" : whyNotYet(choice);
  const template = templates?.find(({ id }) => id === choice.templateId);
  const isTemplateAway = choice.templateId !== null && templates !== null && template === undefined;
  // The CSV has all activity, whatever the template.
  const pdfObstacle = obstacle ?? (isTemplateAway ? `${AWAY} Choose another one.` : null);
  const change = (part: Partial<ReportChoice>) => {
    download.forget();
    onChange(part);
  };
  const begin = (kind: "pdf" | "csv") => {
    const isStopped = kind === "pdf" ? pdfObstacle : obstacle;
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
          value={isTemplateAway ? null : template === undefined ? ALL_SECTIONS : String(template.id)}
          onChange={(id) => change({ templateId: id === null || id === ALL_SECTIONS ? null : Number(id) })}
          error={isTemplateAway ? AWAY : haveTemplatesFailed && "Templates could not be loaded."}
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
      <DownloadButtons download={download} obstacle={obstacle} pdfObstacle={pdfObstacle} onCsv={() => begin("csv")} />
    </form>
  );
}
