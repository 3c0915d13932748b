import { Checkbox, NativeSelect } from "@mantine/core";
import "@mantine/core/styles/Checkbox.layer.css";
import { SEARCH_MAX } from "@suncrew/contract/http/values.ts";
import { useMemo, useState } from "react";
import { useSignedIn } from "../../../platform/session/use-session.ts";
import type { HistoryMode } from "../../../platform/url-params.tsx";
import { FiltersButton } from "../../../ui/filters-button.tsx";
import { SearchBox } from "../../../ui/search-box.tsx";
import { useSearchDraft } from "../../../ui/use-search-draft.ts";
import classes from "./fleet-calendar.module.css";
import type { CalendarUrl } from "./fleet-calendar-url.ts";
import type { CalendarSite } from "./fleet-nights.ts";

interface CalendarFiltersProps {
  readonly url: CalendarUrl;
  readonly change: (by: Partial<CalendarUrl>, mode: HistoryMode) => void;
  readonly sites: readonly CalendarSite[];
  readonly isNarrow: boolean;
}

/** Which sites are shown, and in which order; on a phone all but the search open on demand. */
export function CalendarFilters({ url, change, sites, isNarrow }: CalendarFiltersProps) {
  const { role } = useSignedIn();
  const [search, setSearch] = useSearchDraft(url.search, change);
  const [isOpen, setOpen] = useState(false);
  const states = useMemo(() => optionsOf(sites, ({ state }) => [state, state]), [sites]);
  const partners = useMemo(
    () => optionsOf(sites, (site) => [String(site.maintenance_partner_id ?? ""), site.partner_name ?? ""]),
    [sites],
  );
  const active = [url.state !== "", url.partnerId !== null, url.isTroubledOnly].filter(Boolean).length;
  return (
    <div className={classes["filters"]}>
      <div className={classes["search"]}>
        <SearchBox
          label="Search sites"
          placeholder={isNarrow ? "Search sites" : "Search by name, address, state or partner"}
          value={search}
          maxLength={SEARCH_MAX}
          onChange={setSearch}
        />
      </div>
      {isNarrow && <FiltersButton active={active} isOpen={isOpen} onToggle={setOpen} />}
      {(!isNarrow || isOpen) && (
        <div className={classes["choices"]} role="group" aria-label="Filters">
          <Checkbox
            size={isNarrow ? "md" : "sm"}
            label="Only with trouble"
            checked={url.isTroubledOnly}
            onChange={({ currentTarget }) => change({ isTroubledOnly: currentTarget.checked }, "push")}
          />
          <NativeSelect
            size={isNarrow ? "md" : "sm"}
            aria-label="State"
            value={url.state}
            data={[{ value: "", label: "All states" }, ...withChosen(states, url.state)]}
            onChange={({ currentTarget }) => change({ state: currentTarget.value }, "push")}
          />
          {role === "SUPER_ADMIN" && (
            <NativeSelect
              size={isNarrow ? "md" : "sm"}
              aria-label="Partner"
              value={String(url.partnerId ?? "")}
              data={[{ value: "", label: "All partners" }, ...withChosen(partners, String(url.partnerId ?? ""))]}
              onChange={({ currentTarget: { value } }) =>
                change({ partnerId: value === "" ? null : Number(value) }, "push")
              }
            />
          )}
          {!isNarrow && (
            <NativeSelect
              size="sm"
              aria-label="Order"
              value={url.order}
              data={[
                { value: "name", label: "By name" },
                { value: "worst", label: "Worst first" },
              ]}
              onChange={({ currentTarget: { value } }) =>
                change({ order: value === "worst" ? "worst" : "name" }, "replace")
              }
            />
          )}
        </div>
      )}
    </div>
  );
}

interface Option {
  readonly value: string;
  readonly label: string;
}

function optionsOf(sites: readonly CalendarSite[], of: (site: CalendarSite) => [string, string]): readonly Option[] {
  const labels = new Map(sites.map(of).filter(([value]) => value !== ""));
  return Array.from(labels, ([value, label]) => ({ value, label })).toSorted((one, other) =>
    one.label.localeCompare(other.label, "en"),
  );
}

/** The address may choose what no site has. */
function withChosen(options: readonly Option[], chosen: string): readonly Option[] {
  return chosen === "" || options.some(({ value }) => value === chosen)
    ? options
    : [{ value: chosen, label: chosen }, ...options];
}
