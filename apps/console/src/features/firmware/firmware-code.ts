import { lazyDialog } from "../../ui/lazy-dialog.tsx";

/** The dialogs about firmware, whose code is loaded when one is opened or about to be. */
export const DeployDialog = lazyDialog(
  () => "Deploy Firmware",
  async () => (await import("./deploy-dialog.tsx")).DeployDialog,
);
export const RolloutsDialog = lazyDialog(
  () => "Firmware",
  async () => (await import("./rollouts-dialog.tsx")).RolloutsDialog,
);
