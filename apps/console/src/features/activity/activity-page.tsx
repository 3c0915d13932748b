import { Button, NativeSelect, SegmentedControl, Skeleton } from "@mantine/core";
import { may } from "@suncrew/domain/auth/permissions.ts";
import { IconHistory, IconLock } from "@tabler/icons-react";
import { useCallback, useMemo } from "react";
import { useUrlParams } from "../../platform/url-params.tsx";
import { ExportButton } from "../../platform/export-button.tsx";
import { useSignedIn } from "../../platform/session/use-session.ts";
import { endsBeforeItBegins } from "../../ui/days.ts";
import { EmptyState } from "../../ui/empty-state.tsx";
import { FailedState } from "../../ui/failed-state.tsx";
import { PageLayout } from "../../ui/page-layout.tsx";
import { SearchBox } from "../../ui/search-box.tsx";
import { useSearchDraft } from "../../ui/use-search-draft.ts";
import { AuditView } from "../audit/public.ts";
import { ACTION_FILTERS, EVERYTHING, filterOf, furtherFilters, useActivityUrl } from "./activity-filters-url.ts";
import { ActivityFilters } from "./activity-filters.tsx";
import { ActivityFooter } from "./activity-footer.tsx";
import { actionFilterWord } from "./activity-meaning.ts";
import classes from "./activity-page.module.css";
import { ActivityTable } from "./activity-table.tsx";
import { saveActivity } from "./export-activity.ts";
import { useActivityList } from "./use-activity-list.ts";

const VIEW = "view";

/** §2 Activity Log page. §6: others than Super Admins are told so, and nothing is asked for them. */
export function ActivityPage() {
  const { role } = useSignedIn();
  const [params, change] = useUrlParams();
  if (!may(role, "viewActivity")) {
    return (
      <PageLayout title="Activity Log">
        <div className={classes["panel"]}>
          <EmptyState
            title="Access Denied"
            message="This page is only accessible to Super Administrators."
            icon={<IconLock size={32} stroke={1.5} />}
          />
        </div>
      </PageLayout>
    );
  }
  const view = params.get(VIEW) === "audit" ? "audit" : "activity";
  return (
    <PageLayout
      title="Activity Log"
      actions={
        <SegmentedControl
          size="xs"
          aria-label="View"
          value={view}
          data={[
            { value: "activity", label: "Activity" },
            { value: "audit", label: "Audit" },
          ]}
          // Each view has filters of its own.
          onChange={(next) => change(() => new URLSearchParams(next === "audit" ? { [VIEW]: next } : {}), "push")}
        />
      }
    >
      {view === "audit" ? <AuditView /> : <ActivityLog />}
    </PageLayout>
  );
}

function ActivityLog() {
  const url = useActivityUrl();
  const { filters, change } = url;
  const writeSearch = useCallback((search: string) => change({ search }, "replace"), [change]);
  const [search, setSearch] = useSearchDraft(filters.search, writeSearch);
  const isNever = endsBeforeItBegins(filters);
  const filter = useMemo(() => filterOf(filters), [filters]);
  const { state, isOld, list } = useActivityList(isNever ? null : filter);
  const isFiltered = filters.search !== "" || filters.action !== "all" || furtherFilters(filters) > 0;
  const isEmpty = isNever || (state.state === "ready" && state.rows.length === 0);
  return (
    <>
      <div className={classes["bar"]}>
        <div className={classes["search"]}>
          <SearchBox
            label="Search activities"
            placeholder="Search by site, partner, user, robot, serial number or details"
            value={search}
            onChange={(words) => setSearch(words.slice(0, 100))}
          />
        </div>
        <NativeSelect
          size="sm"
          aria-label="Filter by action"
          value={filters.action}
          data={ACTION_FILTERS.map((value) => ({ value, label: actionFilterWord[value] }))}
          onChange={({ currentTarget }) =>
            change({ action: ACTION_FILTERS.find((action) => action === currentTarget.value) ?? "all" }, "push")
          }
        />
        <ExportButton
          label="Export"
          what="The activity log"
          save={(signal) => saveActivity(filter, signal)}
          obstacle={isEmpty ? "There is no activity to export." : null}
        />
      </div>
      <ActivityFilters {...url} />
      {isEmpty ? (
        <div className={classes["panel"]}>
          <EmptyState
            title="No activity logs found"
            icon={<IconHistory size={32} stroke={1.5} />}
            {...(isFiltered && {
              message: "Nothing matches the search and the filters.",
              action: (
                <Button
                  variant="default"
                  size="xs"
                  onClick={() => {
                    setSearch("");
                    change(EVERYTHING, "push");
                  }}
                >
                  Show all activities
                </Button>
              ),
            })}
          />
        </div>
      ) : state.state === "failed" ? (
        <div className={classes["panel"]}>
          <FailedState
            title="The activity log could not be loaded."
            message={state.reason}
            onRetry={() => void list.load()}
          />
        </div>
      ) : state.state === "loading" ? (
        <div className={classes["loading"]}>
          <p className={classes["sentence"]} role="status">
            Loading activity logs...
          </p>
          {Array.from({ length: 10 }, (_, line) => (
            <Skeleton key={line} height={28} mb="12px" />
          ))}
        </div>
      ) : (
        <ActivityTable state={state} isOld={isOld} list={list} />
      )}
      <ActivityFooter state={state} isNever={isNever} list={list} />
    </>
  );
}
