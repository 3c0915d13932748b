import { lazy } from "react";

/** §2 Select Maintenance Partner picker, whose code is loaded when it is opened. */
export const PartnerPicker = lazy(() =>
  import("./partner-picker.tsx").then((module) => ({ default: module.PartnerPicker })),
);
