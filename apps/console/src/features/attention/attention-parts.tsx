import { Skeleton } from "@mantine/core";
import { firstContentShown } from "../../platform/first-content.ts";
import { FailedPart, lazyPart } from "../../ui/lazy-part.tsx";
import shared from "../../ui/shared.module.css";
import type { AttentionListProps } from "./attention-list.tsx";

/** What needs a person, at the top of the dashboard; loaded after the first robots. */
export const AttentionPanel = lazyPart<AttentionListProps>(
  async () => {
    await firstContentShown();
    return (await import("./attention-list.tsx")).AttentionList;
  },
  {
    // As high as the list with items, in each of its layouts.
    waiting: <Skeleton className={shared["card"]} h={{ base: 320, sm: 182 }} radius="md" />,
    failed: (failure) => <FailedPart title="The attention list could not be loaded." failure={failure} />,
  },
);

/** Puts the number of open items in the tab's title, on every page; without it the title is as the page sets it. */
export const AttentionTitle = lazyPart<{ readonly title: string }>(
  async () => {
    await firstContentShown();
    return (await import("./attention-title.tsx")).AttentionTitle;
  },
  { failed: () => null },
);
