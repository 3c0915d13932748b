import { firstContentShown } from "../../platform/first-content.ts";
import { FailedPart, lazyPart } from "../../ui/lazy-part.tsx";

/** None is needed before the first robots; without them everything else works. */
const late = async () => {
  await firstContentShown();
  return import("./mute-control.tsx");
};
const nothing = { failed: () => null };

export const MuteControl = lazyPart(async () => (await late()).MuteControl, nothing);
export const MutedBadge = lazyPart(async () => (await late()).MutedBadge, nothing);
export const MutedMark = lazyPart(async () => (await late()).MutedMark, nothing);
export const MuteDialog = lazyPart(async () => (await late()).MuteDialog, nothing);
export const MuteButton = lazyPart(async () => (await late()).MuteButton, nothing);

/** What is muted now, for the Notifications page. */
export const MutesTab = lazyPart(async () => (await import("./mutes-tab.tsx")).MutesTab, {
  failed: (failure) => FailedPart({ title: "What is muted could not be loaded.", failure }),
});
