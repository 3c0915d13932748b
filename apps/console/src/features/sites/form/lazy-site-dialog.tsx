import { lazyDialog } from "../../../ui/lazy-dialog.tsx";

/** §2 Add New Site and Edit Site, loaded when one is first opened. */
export const SiteDialog = lazyDialog(
  ({ site }) => (site === null ? "Add New Site" : "Edit Site"),
  async () => (await import("./site-dialog.tsx")).SiteDialog,
);
