import { TextInput } from "@mantine/core";
import { siteSoiling, type SoilingGap } from "@suncrew/contract/soiling/soiling.ts";
import { MOST_DAYS_MAX } from "@suncrew/contract/schedules/schedules.ts";
import type { Site } from "@suncrew/contract/sites/sites.ts";
import { gapLook } from "@suncrew/domain/soiling/soiling-gaps.ts";
import { useQuery } from "@tanstack/react-query";
import { routeQuery } from "../../platform/api/route-query.ts";
import { Notice } from "../../ui/notice.tsx";
import shared from "../../ui/shared.module.css";
import classes from "./schedule-dialog.module.css";
import type { ScheduleField, ScheduleForm } from "./schedule-form.ts";

interface ByNeedFieldsProps {
  readonly site: Site;
  readonly form: ScheduleForm;
  readonly change: (change: Partial<ScheduleForm>) => void;
  readonly problemAt: (field: ScheduleField) => string | null;
}

/** §11 Cleaning by need: the days between runs, and what is missing to know when a run is worth it. */
export function ByNeedFields({ site, form, change, problemAt }: ByNeedFieldsProps) {
  const days = (field: "leastDaysText" | "mostDaysText", label: string) => (
    <TextInput
      name={field}
      label={label}
      inputMode="numeric"
      value={form[field]}
      error={problemAt(field)}
      description={`1 to ${MOST_DAYS_MAX}`}
      inputWrapperOrder={["label", "input", "description", "error"]}
      onChange={(event) => change({ [field]: event.currentTarget.value })}
    />
  );
  return (
    <>
      <div className={classes["days"]}>
        {days("leastDaysText", "At least (days)")}
        {days("mostDaysText", "At most (days)")}
      </div>
      <p className={shared["muted"]}>
        Days from one run to the next. Between them it runs once soiling has cost what a cleaning costs and no rain is
        near. If no run of its robots is known yet, it runs the first time, whatever that is worth.
      </p>
      <MissingForNeed site={site} />
    </>
  );
}

const list = new Intl.ListFormat("en-GB", { type: "conjunction" });

function MissingForNeed({ site }: { readonly site: Site }) {
  const query = useQuery(routeQuery(siteSoiling, { params: { siteId: site.id } }));
  if (query.isPending) return null;
  if (query.data === undefined) {
    return (
      <Notice title="What is known of this site could not be loaded" role="status">
        If facts of the site or its weather are missing, only the most days start a run.
      </Notice>
    );
  }
  const { missing, is_stale: isStale } = query.data;
  const words = (by: "site form" | "inputs") =>
    missing.filter((gap: SoilingGap) => gapLook[gap].by === by).map((gap) => gapLook[gap].words);
  const [facts, inputs] = [words("site form"), words("inputs")];
  if (facts.length === 0 && inputs.length === 0 && !isStale) return null;
  return (
    <Notice title="Until more is known, only the most days start a run" role="status">
      {facts.length > 0 && (
        <p>
          Enter in the form of the site: <strong>{list.format(facts)}</strong>.
        </p>
      )}
      {inputs.length > 0 && (
        <p>
          Not received yet for its place: <strong>{list.format(inputs)}</strong>.
        </p>
      )}
      {isStale && <p>The forecast is out of date; Suncrew keeps asking for a new one.</p>}
    </Notice>
  );
}
