import type { ComponentType } from "react";
import { FailedPart, lazyPart } from "../ui/lazy-part.tsx";

/**
 * A page of the shell as the router loads it: before navigating, so that nothing blank is shown in between. If its
 * files cannot be loaded it navigates nevertheless, and says so below the header, which keeps working.
 */
export function page(load: () => Promise<ComponentType>): () => Promise<{ Component: ComponentType }> {
  const Page = lazyPart(load, {
    failed: (failure) => <FailedPart title="This page could not be loaded." failure={failure} />,
  });
  return async () => {
    await Page.preload();
    return { Component: Page };
  };
}
