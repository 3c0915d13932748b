import type { ComponentType } from "react";

/** What a state means visually; `plain` is for what is not a state. */
export type Tone = "good" | "calm" | "fair" | "poor" | "off" | "plain";

/** How a state is shown: colour and icon never appear without the text. */
export interface Look {
  readonly label: string;
  readonly tone: Tone;
  readonly icon?: ComponentType<{ size?: number | string; "aria-hidden"?: boolean }>;
}
