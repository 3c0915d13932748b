import { Button, Menu } from "@mantine/core";
import { mayCall } from "@suncrew/domain/auth/permissions.ts";
import { IconArrowsUpDown, IconFileDownload, IconFileUpload, IconPlus } from "@tabler/icons-react";
import { useState } from "react";
import { useSignedIn } from "../../../platform/session/use-session.ts";
import { DisabledReason } from "../../../ui/disabled-reason.tsx";
import { DevicesButton } from "../../devices/public.ts";
import { FirmwareButton } from "../../firmware/public.ts";
import { downloadExport } from "../import/import-calls.ts";
import { importKinds } from "../import/import-kinds.ts";
import type { ImportKind } from "../import/import-kinds.ts";
import classes from "./site-management-page.module.css";

export interface PageActionsProps {
  /** Why no site can be added or imported now; null where it can. */
  readonly missing: string | null;
  readonly onAddSite: () => void;
  readonly onImport: (kind: ImportKind) => void;
}

/** What can be done to sites and robots at large, at the right of the page's heading. */
export function PageActions({ missing, onAddSite, onImport }: PageActionsProps) {
  const { role } = useSignedIn();
  const [exporting, setExporting] = useState<ImportKind | null>(null);
  const mayAddSites = mayCall(role, "createSite");
  // A partner adds no sites, so files of sites are of no use to it.
  const kinds: readonly ImportKind[] = mayAddSites ? ["sites", "robots"] : ["robots"];

  const download = async (kind: ImportKind) => {
    setExporting(kind);
    await downloadExport(kind);
    setExporting(null);
  };

  return (
    <div className={classes["actions"]}>
      <FirmwareButton />
      <DevicesButton />
      <Menu position="bottom-end" width={210} classNames={{ item: classes["menuItem"] ?? "" }}>
        <Menu.Target>
          <Button
            variant="default"
            size="xs"
            loading={exporting !== null}
            leftSection={<IconArrowsUpDown size={14} aria-hidden />}
          >
            Import / Export
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {missing !== null && <Menu.Label>{missing}</Menu.Label>}
          {kinds.map((kind) => (
            <Menu.Item
              key={kind}
              leftSection={<IconFileUpload size={16} aria-hidden />}
              aria-haspopup="dialog"
              disabled={missing !== null}
              onClick={() => onImport(kind)}
            >
              {importKinds[kind].title}
            </Menu.Item>
          ))}
          <Menu.Divider />
          {kinds.map((kind) => (
            <Menu.Item
              key={kind}
              leftSection={<IconFileDownload size={16} aria-hidden />}
              onClick={() => void download(kind)}
            >
              {importKinds[kind].exportTitle}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
      {mayAddSites && (
        <DisabledReason reason={missing}>
          <Button size="xs" leftSection={<IconPlus size={14} aria-hidden />} aria-haspopup="dialog" onClick={onAddSite}>
            Add New Site
          </Button>
        </DisabledReason>
      )}
    </div>
  );
}
