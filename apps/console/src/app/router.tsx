import { createBrowserRouter } from "react-router";
import { paths } from "../platform/paths.ts";
import { redirectSignedIn, requireSession } from "./guards.ts";
import { RouteError } from "./route-error.tsx";

/** §2 Routes. Each page is a chunk of its own; pages of later issues are absent, so they are not found. */
export const router = createBrowserRouter([
  {
    ErrorBoundary: RouteError,
    HydrateFallback: () => null,
    children: [
      {
        path: paths.signIn(),
        loader: redirectSignedIn,
        lazy: async () => ({ Component: (await import("../features/auth/sign-in-page.tsx")).SignInPage }),
      },
      {
        loader: requireSession(),
        lazy: async () => ({ Component: (await import("./shell/shell.tsx")).Shell }),
        children: [
          {
            ErrorBoundary: RouteError,
            children: [
              {
                path: paths.dashboard(),
                handle: { title: "Dashboard" },
                lazy: async () => ({
                  Component: (await import("../features/dashboard/dashboard-page.tsx")).DashboardPage,
                }),
              },
            ],
          },
        ],
      },
      {
        path: "*",
        lazy: async () => ({ Component: (await import("./not-found-page.tsx")).NotFoundPage }),
      },
    ],
  },
]);
