import type { SoilingGap } from "@suncrew/contract/soiling/soiling.ts";

interface GapLook {
  readonly words: string;
  /** Who or what can fill it. */
  readonly by: "site form" | "robots" | "inputs";
}

/** What is missing, in the words of the form where somebody can enter it. */
export const gapLook: Record<SoilingGap, GapLook> = {
  dc_capacity_kwp: { words: "DC capacity", by: "site form" },
  tilt_degrees: { words: "tilt", by: "site form" },
  azimuth_degrees: { words: "azimuth", by: "site form" },
  performance_ratio_percent: { words: "performance ratio", by: "site form" },
  tariff_per_kwh: { words: "tariff", by: "site form" },
  currency: { words: "currency", by: "site form" },
  cleaning_price: { words: "price of a cleaning", by: "site form" },
  robots: { words: "robots", by: "robots" },
  particles: { words: "particles in the air", by: "inputs" },
  rain: { words: "rain", by: "inputs" },
  irradiation: { words: "irradiation", by: "inputs" },
};
