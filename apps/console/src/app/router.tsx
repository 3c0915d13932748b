import { Button } from "@mantine/core";
import type { ComponentType } from "react";
import {
  createBrowserRouter,
  type DataRouter,
  isRouteErrorResponse,
  Link,
  type RouteObject,
  useLocation,
  useNavigate,
  useRouteError,
} from "react-router";
import { paths } from "../platform/paths.ts";
import { useIsDemo } from "../platform/server-config.ts";
import { FailedPart, lazyPart } from "../ui/lazy-part.tsx";
import { redirectFigure, redirectSignedIn, requireRole, requireSession } from "./guards.ts";
import { MessagePage, UnexpectedError } from "./message-page.tsx";
import { Shell } from "./shell/shell.tsx";

/**
 * A page of the shell as the router loads it: before navigating, so that nothing blank is shown in between. If its
 * files cannot be loaded it navigates nevertheless, and says so below the header, which keeps working.
 */
function page(load: () => Promise<ComponentType>): () => Promise<{ Component: ComponentType }> {
  const Page = lazyPart(load, {
    failed: (failure) => <FailedPart title="This page could not be loaded." failure={failure} />,
  });
  return async () => {
    await Page.preload();
    return { Component: Page };
  };
}

/** §2 Routes: any other path. */
function NotFoundPage() {
  const { pathname } = useLocation();
  return (
    <MessagePage title="Oops! Page not found" message={`There is nothing at ${pathname}`}>
      <Button component={Link} to={paths.signIn()}>
        Return to Home
      </Button>
    </MessagePage>
  );
}

/** A page that only a demo has. */
function demoPage(load: () => Promise<ComponentType>): () => Promise<{ Component: ComponentType }> {
  return async () => {
    const { Component: Page } = await page(load)();
    return {
      Component: function DemoPage() {
        const isDemo = useIsDemo();
        if (isDemo === null) return null;
        return isDemo ? <Page /> : <NotFoundPage />;
      },
    };
  };
}

/** What the router shows in place of a page that threw, or that could not be loaded. */
function RouteError() {
  return <UnexpectedError message={messageOf(useRouteError())} />;
}

function messageOf(error: unknown): string {
  if (isRouteErrorResponse(error)) return `${error.status} ${error.statusText}`;
  return error instanceof Error ? error.message : String(error);
}

/** §2 Routes: the pages within the shell, each its own chunk. */
const pages: RouteObject[] = [
  {
    path: paths.dashboard(),
    handle: { title: "Dashboard" },
    loader: redirectFigure,
    lazy: page(async () => (await import("../features/dashboard/dashboard-page.tsx")).DashboardPage),
  },
  {
    path: paths.robots(),
    handle: { title: "Robots" },
    lazy: page(async () => (await import("../features/fleet/robots-page.tsx")).RobotsPage),
  },
  {
    path: paths.calendar(),
    handle: { title: "Calendar" },
    lazy: page(async () => (await import("../features/runs/fleet-calendar/fleet-calendar-page.tsx")).FleetCalendarPage),
  },
  {
    path: paths.sites(),
    handle: { title: "Site Management" },
    lazy: page(async () => (await import("../features/sites/management/site-management-page.tsx")).SiteManagementPage),
  },
  {
    path: "/robots/:serialNumber",
    handle: { title: "Robot", of: "serialNumber" },
    lazy: page(async () => (await import("../features/robot-history/robot-page.tsx")).RobotPage),
  },
  {
    path: paths.partners(),
    handle: { title: "Partner Management" },
    loader: requireRole(paths.partners(), "Only Super Admins can access Partner Management."),
    lazy: page(async () => (await import("../features/partners/management/partners-page.tsx")).PartnersPage),
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
      async () => (await import("../features/report-templates/report-management-page.tsx")).ReportManagementPage,
    ),
  },
  {
    path: paths.siteReports(),
    handle: { title: "Site Reports" },
    lazy: page(async () => (await import("../features/reports/site-reports-page.tsx")).SiteReportsPage),
  },
  {
    path: paths.notifications(),
    handle: { title: "Notifications" },
    lazy: page(async () => (await import("../features/notifications/notifications-page.tsx")).NotificationsPage),
  },
  {
    path: paths.webhooks(),
    handle: { title: "Webhooks" },
    loader: requireRole(paths.webhooks(), "Only Super Admins can access Webhooks."),
    lazy: page(async () => (await import("../features/events/webhooks-page.tsx")).WebhooksPage),
  },
  {
    path: paths.demoMessages(),
    handle: { title: "Messages of the demo" },
    loader: requireRole(paths.demoMessages(), "Only Super Admins can access the messages of the demo."),
    lazy: demoPage(async () => (await import("../features/notifications/demo-messages-page.tsx")).DemoMessagesPage),
  },
  {
    path: paths.profile(),
    handle: { title: "Profile" },
    lazy: page(async () => (await import("../features/profile/profile-page.tsx")).ProfilePage),
  },
];

const routes: RouteObject[] = [
  {
    ErrorBoundary: RouteError,
    HydrateFallback: () => null,
    children: [
      { path: paths.signIn(), loader: redirectSignedIn, Component: SignIn },
      {
        loader: requireSession,
        Component: Shell,
        children: [{ ErrorBoundary: RouteError, children: pages }],
      },
      { path: "*", Component: NotFoundPage },
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
