import { Box, Button, Select } from "@mantine/core";
import { auditOutcomeSchema } from "@suncrew/contract/audit/audit.ts";
import { SEARCH_MAX } from "@suncrew/contract/http/values.ts";
import { auditLabel } from "@suncrew/domain/audit/audit-changes.ts";
import { DayRangeFields } from "../../ui/day-range-fields.tsx";
import { SearchBox } from "../../ui/search-box.tsx";
import { type AuditFilterValues, isNarrowed } from "./audit-filters-url.ts";
import { outcomeLook } from "./audit-looks.ts";
import classes from "./audit-view.module.css";

export interface AuditFiltersProps {
  readonly filters: AuditFilterValues;
  readonly search: string;
  /** The choices. */
  readonly actions: readonly string[];
  readonly entities: readonly string[];
  readonly onSearch: (search: string) => void;
  readonly onChange: (change: Partial<AuditFilterValues>) => void;
  readonly onClear: () => void;
}

export function AuditFilters({ filters, search, actions, entities, ...on }: AuditFiltersProps) {
  const choices = (values: readonly string[], chosen: string) =>
    [...new Set([...values, ...(chosen === "" ? [] : [chosen])])].map((value) => ({ value, label: auditLabel(value) }));
  return (
    <div className={classes["filters"]} role="search" aria-label="Audit">
      <Box maw={560} style={{ gridColumn: "1 / -1" }}>
        <SearchBox
          label="Search audit"
          placeholder="Search by name, person, change, reason or site"
          value={search}
          maxLength={SEARCH_MAX}
          onChange={on.onSearch}
        />
      </Box>
      <Select
        size="xs"
        label="Change"
        placeholder="All changes"
        searchable
        clearable
        data={choices(actions, filters.action)}
        value={filters.action === "" ? null : filters.action}
        onChange={(action) => on.onChange({ action: action ?? "" })}
      />
      <Select
        size="xs"
        label="Target"
        placeholder="All targets"
        searchable
        clearable
        data={choices(entities, filters.entity)}
        value={filters.entity === "" ? null : filters.entity}
        onChange={(entity) => on.onChange({ entity: entity ?? "" })}
      />
      <Select
        size="xs"
        label="Outcome"
        placeholder="All outcomes"
        clearable
        data={auditOutcomeSchema.options.map((value) => ({ value, label: outcomeLook[value].label }))}
        value={filters.outcome}
        onChange={(outcome) => on.onChange({ outcome })}
      />
      <DayRangeFields days={filters} onChange={on.onChange} />
      {isNarrowed(filters) && (
        <Button variant="subtle" size="xs" style={{ alignSelf: "end", justifySelf: "start" }} onClick={on.onClear}>
          Clear filters
        </Button>
      )}
    </div>
  );
}
