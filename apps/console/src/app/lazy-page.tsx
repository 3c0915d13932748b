import type { ComponentType } from "react";
import { FailedPart, lazyPart } from "../ui/lazy-part.tsx";

/**
 * A page of the shell as the router loads it: before it goes there, so that nothing blank is shown meanwhile. Where its
 * files do not come it goes there all the same, and says so below the header, which goes on working.
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
