import { createBrowserRouter, type DataRouter, type RouteObject, useNavigate } from "react-router";
import { paths } from "../platform/paths.ts";
import { FailedPart, lazyPart } from "../ui/lazy-part.tsx";
import { redirectSignedIn, requireRole, requireSession } from "./guards.ts";
import { page } from "./lazy-page.tsx";
import { NotFoundPage, RouteError } from "./error-pages.tsx";
import { Shell } from "./shell/shell.tsx";

/** §2 Routes. Each page is its own chunk. */
const routes: RouteObject[] = [
  {
    ErrorBoundary: RouteError,
    HydrateFallback: () => null,
    children: [
      {
        path: paths.signIn(),
        loader: redirectSignedIn,
        Component: SignIn,
      },
      {
        loader: requireSession,
        Component: Shell,
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
];

export function createRouter(): DataRouter {
  return createBrowserRouter(routes);
}

/** Loaded only where it is shown: signed-in users pass its URL on the way to the dashboard. */
const SignInPage = lazyPart(async () => (await import("../features/auth/sign-in-page.tsx")).SignInPage, {
  failed: (failure) => <FailedPart title="This page could not be loaded." failure={failure} />,
});

/** The sign-in page when it is reached from another one, such as from a URL that leads nowhere. */
function SignIn() {
  const navigate = useNavigate();
  // The loader knows where to go next.
  return <SignInPage onSignedIn={async () => navigate(paths.signIn(), { replace: true })} />;
}
