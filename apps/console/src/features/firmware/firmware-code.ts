/** The code of the dialogs about firmware, loaded when one is opened or about to be. */
export const loadDeployDialog = () =>
  import("./deploy-dialog.tsx").then((module) => ({ default: module.DeployDialog }));
export const loadRolloutsDialog = () =>
  import("./rollouts-dialog.tsx").then((module) => ({ default: module.RolloutsDialog }));

/** Where that fails the dialog tries again. */
export function preload(load: () => Promise<unknown>): void {
  void load().catch(() => null);
}
