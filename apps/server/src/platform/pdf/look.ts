/** The one look of printed pages: colours of the console's Light theme, lengths in points. */
export const look = {
  text: "#15202b",
  muted: "#54616e",
  accent: "#0b6478",
  accentSoft: "#dcf0f4",
  border: "#dce2e8",
  soft: "#f5f7f9",
  sun: "#f5a800",
  poor: "#a01616",
  fair: "#794600",
  fairSoft: "#fdefd2",
} as const;

/** A4, upright. */
export const page = {
  left: 48,
  right: 547,
  top: 76,
  bottom: 778,
  width: 499,
  height: 841.89,
  fullWidth: 595.28,
} as const;
