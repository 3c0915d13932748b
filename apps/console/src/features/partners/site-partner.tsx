import { Anchor } from "@mantine/core";
import { IconChevronRight } from "@tabler/icons-react";
import { useState } from "react";
import { lazyDialog } from "../../ui/lazy-dialog.tsx";

/** §2 Select Maintenance Partner picker, whose code is loaded when it is opened. */
export const PartnerPicker = lazyDialog(
  () => "Select Maintenance Partner",
  async () => (await import("./partner-picker.tsx")).PartnerPicker,
);

const PartnerDetailsDialog = lazyDialog(
  ({ partnerName }) => partnerName,
  async () => (await import("./partner-details-dialog.tsx")).PartnerDetailsDialog,
);

/** §2 Maintenance link: opens the partner details dialog, whose code is loaded then. */
export function MaintenanceLink({ partnerId, partnerName }: { partnerId: number; partnerName: string }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Anchor
        component="button"
        type="button"
        inherit
        ta="start"
        underline="always"
        aria-haspopup="dialog"
        onClick={() => setOpen(true)}
      >
        {partnerName}
        <IconChevronRight size={12} aria-hidden />
      </Anchor>
      {isOpen && (
        <PartnerDetailsDialog partnerId={partnerId} partnerName={partnerName} onClose={() => setOpen(false)} />
      )}
    </>
  );
}
