import { QueryClientProvider } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { DataRouter } from "react-router";
import { RouterProvider } from "react-router/dom";
import { queryClient } from "../platform/api/query-client.ts";
import { UrlParamsProvider } from "../platform/url-params.tsx";
import { ThemeProvider } from "../ui/theme/theme-provider.tsx";
import { addressAfterSignIn } from "./guards.ts";
import { createRouter } from "./router.tsx";

/** The whole console: look, cache and routes. */
export function App({ router }: { readonly router: DataRouter }) {
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

/** The console at the present address, or after a sign-in where that leads, once its page is loaded. */
export async function startConsole({ isAfterSignIn }: { readonly isAfterSignIn: boolean }): Promise<ReactNode> {
  const next = isAfterSignIn ? addressAfterSignIn() : null;
  // Back does not lead to the sign-in page.
  if (next !== null) history.replaceState(null, "", next);
  const router = createRouter();
  await new Promise<void>((resolve) => {
    const stop = router.subscribe(() => check());
    const check = () => {
      if (!router.state.initialized) return;
      stop();
      resolve();
    };
    check();
  });
  return <App router={router} />;
}
