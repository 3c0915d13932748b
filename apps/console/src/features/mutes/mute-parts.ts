import { FailedPart, lazyPart } from "../../ui/lazy-part.tsx";
import { firstContentShown } from "../../platform/first-content.ts";

/** Neither is needed before the first robots; without them everything else works. */
export const MuteControl = lazyPart(
  async () => {
    await firstContentShown();
    return (await import("./mute-control.tsx")).MuteControl;
  },
  { failed: () => null },
);
export const MutedBadge = lazyPart(
  async () => {
    await firstContentShown();
    return (await import("./mute-control.tsx")).MutedBadge;
  },
  { failed: () => null },
);
/** What is muted now, for the Notifications page. */
export const MutesTab = lazyPart(async () => (await import("./mutes-tab.tsx")).MutesTab, {
  failed: (failure) => FailedPart({ title: "What is muted could not be loaded.", failure }),
});
