import type { ComponentType } from "react";

/** What a state means for the eye; `plain` is for what is no state at all. */
export type Tone = "good" | "calm" | "fair" | "poor" | "off" | "plain";

/** How a state is shown: colour and icon never stand without the word. */
export interface Look {
  readonly label: string;
  readonly tone: Tone;
  readonly icon?: ComponentType<{ size?: number | string; "aria-hidden"?: boolean }>;
}
