import { lazyDialog } from "../../ui/lazy-dialog.tsx";

/** §2 Select Maintenance Partner picker, whose code is loaded when it is opened. */
export const PartnerPicker = lazyDialog(
  () => "Select Maintenance Partner",
  async () => {
    return (await import("./partner-picker.tsx")).PartnerPicker;
  },
);
