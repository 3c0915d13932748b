import { Box, Stack } from "@mantine/core";
import { reportTemplates } from "@suncrew/contract/report-templates/report-templates.ts";
import { siteDetails } from "@suncrew/contract/sites/sites.ts";
import { useQuery } from "@tanstack/react-query";
import { useCallback } from "react";
import { useUrlState } from "../../platform/url-params.tsx";
import { routeQuery } from "../../platform/api/route-query.ts";
import { QueryState } from "../../platform/query-state.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { PageLayout } from "../../ui/page-layout.tsx";
import { SkeletonLines } from "../../ui/skeletons.tsx";
import { MonthlyReports } from "./monthly-reports.tsx";
import { type ReportChoice, reportUrl } from "./report-choice.ts";
import { ReportForm } from "./report-form.tsx";
import shared from "../../ui/shared.module.css";

/** §2 Site Reports page. */
export function SiteReportsPage() {
  const { state: choice, change: changeUrl } = useUrlState(reportUrl);
  const change = useCallback((part: Partial<ReportChoice>) => changeUrl(part, "replace"), [changeUrl]);
  const sites = useQuery(routeQuery(siteDetails, {}));
  const templates = useQuery(routeQuery(reportTemplates, {}));
  return (
    <PageLayout title="Site Reports">
      <Stack gap={16} maw={1080}>
        <Box component="section" className={shared["card"]} p={16} aria-label="New report">
          <QueryState
            query={sites}
            loading={<SkeletonLines label="Loading sites..." lines={3} />}
            failed="The sites could not be loaded."
          >
            {(data) =>
              data.length === 0 ? (
                <EmptyState
                  title="No sites yet"
                  message="A report covers one site, and there is none that you can see."
                />
              ) : (
                <ReportForm
                  sites={data}
                  templates={templates.data?.filter(({ isActive }) => isActive) ?? null}
                  haveTemplatesFailed={templates.data === undefined && templates.isError}
                  choice={choice}
                  onChange={change}
                  onTemplateUnavailable={() => void templates.refetch()}
                />
              )
            }
          </QueryState>
        </Box>
        <MonthlyReports siteId={choice.siteId} site={sites.data?.find(({ id }) => id === choice.siteId) ?? null} />
      </Stack>
    </PageLayout>
  );
}
