import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "react-router/dom";
import { UrlParamsProvider } from "../platform/url-params.tsx";
import { queryClient } from "../platform/api/query-client.ts";
import { ThemeProvider } from "../ui/theme/theme-provider.tsx";
import { router } from "./router.tsx";

/** The whole console: look, cache and routes. */
export function App() {
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
