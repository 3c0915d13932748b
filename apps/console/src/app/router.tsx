import { createBrowserRouter } from "react-router";
import { paths } from "../platform/paths.ts";
import { redirectSignedIn, requireRole, requireSession } from "./guards.ts";
import { page } from "./lazy-page.tsx";
import { NotFoundPage, RouteError } from "./error-pages.tsx";

/** After the sign-in page is painted. */
const NEXT_PAGES_AFTER_MS = 500;

/** §2 Routes. Each page is a chunk of its own; pages of later issues are absent, so they are not found. */
export const router = createBrowserRouter([
  {
    ErrorBoundary: RouteError,
    HydrateFallback: () => null,
    children: [
      {
        path: paths.signIn(),
        loader: redirectSignedIn,
        lazy: async () => {
          const { SignInPage } = await import("../features/auth/sign-in-page.tsx");
          fetchNextPages();
          return { Component: SignInPage };
        },
      },
      {
        loader: requireSession,
        lazy: async () => ({ Component: (await import("./shell/shell.tsx")).Shell }),
        children: [
          {
            ErrorBoundary: RouteError,
            children: [
              {
                path: paths.dashboard(),
                handle: { title: "Dashboard" },
                lazy: page(async () => (await import("../features/dashboard/dashboard-page.tsx")).DashboardPage),
              },
              {
                path: paths.sites(),
                handle: { title: "Site Management" },
                lazy: page(
                  async () =>
                    (await import("../features/sites/management/site-management-page.tsx")).SiteManagementPage,
                ),
              },
              {
                path: paths.partners(),
                handle: { title: "Partner Management" },
                loader: requireRole(paths.partners(), "Only Super Admins can access Partner Management."),
                lazy: page(
                  async () => (await import("../features/partners/management/partners-page.tsx")).PartnersPage,
                ),
              },
              {
                path: paths.activity(),
                handle: { title: "Activity Log" },
                lazy: page(async () => (await import("../features/activity/activity-page.tsx")).ActivityPage),
              },
              {
                path: paths.reportManagement(),
                handle: { title: "Report Management" },
                loader: requireRole(paths.reportManagement(), "Only Super Admins can access Report Management."),
                lazy: page(
                  async () =>
                    (await import("../features/report-templates/report-management-page.tsx")).ReportManagementPage,
                ),
              },
              {
                path: paths.siteReports(),
                handle: { title: "Site Reports" },
                lazy: page(async () => (await import("../features/reports/site-reports-page.tsx")).SiteReportsPage),
              },
              {
                path: paths.profile(),
                handle: { title: "Profile" },
                lazy: page(async () => (await import("../features/profile/profile-page.tsx")).ProfilePage),
              },
            ],
          },
        ],
      },
      {
        path: "*",
        Component: NotFoundPage,
      },
    ],
  },
]);

/** While somebody types a password, what comes next is fetched; a failure shows when it is really needed. */
function fetchNextPages(): void {
  setTimeout(() => {
    import("./shell/shell.tsx").catch(() => undefined);
    import("../features/dashboard/dashboard-page.tsx").catch(() => undefined);
  }, NEXT_PAGES_AFTER_MS);
}
