import { robotDetailsWithSettings } from "@suncrew/contract/robots/robots.ts";
import { siteDetails } from "@suncrew/contract/sites/sites.ts";
import { QueryClientProvider } from "@tanstack/react-query";
import { type ReactNode, useEffect } from "react";
import type { DataRouter } from "react-router";
import { RouterProvider } from "react-router/dom";
import { queryClient } from "../platform/api/query-client.ts";
import { routeQuery } from "../platform/api/route-query.ts";
import { isWallboard } from "../platform/paths.ts";
import { watchPresses } from "../platform/press.ts";
import { UrlParamsProvider } from "../platform/url-params.tsx";
import { ThemeProvider } from "../ui/theme/theme-provider.tsx";
import { addressAfterSignIn } from "./guards.ts";
import { createRouter } from "./router.tsx";

/** The whole console: theme, cache and routes. */
export function App({ router }: { readonly router: DataRouter }) {
  useEffect(watchPresses, []);
  return (
    <ThemeProvider>
      <QueryClientProvider client={queryClient}>
        <UrlParamsProvider router={router}>
          <RouterProvider router={router} />
        </UrlParamsProvider>
      </QueryClientProvider>
    </ThemeProvider>
  );
}

/** The console at the current URL, or after a sign-in wherever that leads, once its page is loaded. */
export async function startConsole({ isAfterSignIn }: { readonly isAfterSignIn: boolean }): Promise<ReactNode> {
  const next = isAfterSignIn ? addressAfterSignIn() : null;
  // Back does not lead to the sign-in page.
  if (next !== null) history.replaceState(null, "", next);
  if (isWallboard(location)) {
    const { WallboardPage } = await import("../features/wallboard/wallboard-page.tsx");
    return <WallboardPage />;
  }
  const router = createRouter();
  const taken = takeFirstAnswers();
  await new Promise<void>((resolve) => {
    const stop = router.subscribe(() => check());
    const check = () => {
      if (!router.state.initialized) return;
      stop();
      resolve();
    };
    check();
  });
  await Promise.race([taken, new Promise((resolve) => setTimeout(resolve, FIRST_ANSWERS_MS))]);
  return <App router={router} />;
}

/** How long an answer still in transit may delay what is shown, in milliseconds. */
const FIRST_ANSWERS_MS = 100;

/**
 * Puts the first script's answers into the cache, so that the dashboard renders once, with its robots. Never rejects.
 */
async function takeFirstAnswers(): Promise<void> {
  const taken = [...(globalThis.suncrewFirstAnswers?.keys() ?? [])].map(async (path) => {
    if (path === siteDetails.path) return queryClient.prefetchQuery(routeQuery(siteDetails, {}));
    const robotsOf = robotDetailsWithSettings.path.replace(":siteId", "");
    if (!path.startsWith(robotsOf)) return undefined;
    const params = { siteId: Number(path.slice(robotsOf.length)) };
    return queryClient.prefetchQuery(routeQuery(robotDetailsWithSettings, { params }));
  });
  await Promise.all(taken);
}
