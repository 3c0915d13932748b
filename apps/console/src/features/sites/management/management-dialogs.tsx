import type { Site } from "@suncrew/contract/sites/sites.ts";
import { lazyDialog } from "../../../ui/lazy-dialog.tsx";
import type { ImportKind } from "../import/import-kinds.ts";

const SiteDialog = lazyDialog(
  ({ site }) => (site === null ? "Add New Site" : "Edit Site"),
  async () => (await import("../form/site-dialog.tsx")).SiteDialog,
);
const DeleteSiteDialog = lazyDialog(
  () => "Delete Site",
  async () => {
    return (await import("../form/delete-site-dialog.tsx")).DeleteSiteDialog;
  },
);
const ImportDialog = lazyDialog(
  () => "Import",
  async () => (await import("../import/import-dialog.tsx")).ImportDialog,
);

/** The one dialog that is open on the page, with what it is about. */
export type OpenDialog =
  | { readonly kind: "add" }
  | { readonly kind: "edit" | "delete"; readonly site: Site }
  | { readonly kind: "import"; readonly what: ImportKind };

export interface ManagementDialogsProps {
  readonly open: OpenDialog | null;
  /** The sites as they are known now. */
  readonly sites: readonly Site[];
  /** A site was created. */
  readonly onCreated: (siteId: number) => void;
  /** A site was deleted. */
  readonly onGone: (siteId: number) => void;
  readonly onClose: () => void;
}

/** §2 Site Management page: its dialogs, whose code is loaded when they are opened. */
export function ManagementDialogs({ open, sites, onCreated, onGone, onClose }: ManagementDialogsProps) {
  if (open === null) return null;
  if (open.kind === "import") return <ImportDialog kind={open.what} onClose={onClose} />;
  if (open.kind === "delete") {
    return (
      <DeleteSiteDialog
        site={open.site}
        onGone={() => {
          onClose();
          onGone(open.site.id);
        }}
        onClose={onClose}
      />
    );
  }
  return (
    <SiteDialog
      site={open.kind === "edit" ? open.site : null}
      sites={sites}
      onSaved={(siteId) => {
        onClose();
        if (open.kind === "add") onCreated(siteId);
      }}
      onClose={onClose}
    />
  );
}
