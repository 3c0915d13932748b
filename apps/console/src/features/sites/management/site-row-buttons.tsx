import { ActionIcon, Tooltip } from "@mantine/core";
import type { Site } from "@suncrew/contract/sites/sites.ts";
import { mayCall } from "@suncrew/domain/auth/permissions.ts";
import { IconEdit, IconTrash } from "@tabler/icons-react";
import { useSignedIn } from "../../../platform/session/use-session.ts";
import classes from "./all-sites-card.module.css";

export interface SiteDeeds {
  readonly onEdit: (site: Site) => void;
  readonly onDelete: (site: Site) => void;
}

export interface SiteRowButtonsProps extends SiteDeeds {
  readonly site: Site;
  /** -1 where the list's arrow keys lead here, not Tab. */
  readonly tabIndex?: number;
}

/** §2: each row has Edit and Delete; §6 hides Delete from whoever may not. */
export function SiteRowButtons({ site, onEdit, onDelete, tabIndex = 0 }: SiteRowButtonsProps) {
  const { role } = useSignedIn();
  return (
    <span className={classes["deeds"]}>
      <DeedButton label="Edit" icon={IconEdit} tabIndex={tabIndex} onPress={() => onEdit(site)} />
      {mayCall(role, "deleteSite") && (
        <DeedButton label="Delete" icon={IconTrash} tabIndex={tabIndex} onPress={() => onDelete(site)} />
      )}
    </span>
  );
}

interface DeedButtonProps {
  readonly label: string;
  readonly icon: typeof IconEdit;
  readonly tabIndex: number;
  readonly onPress: () => void;
}

function DeedButton({ label, icon: Icon, tabIndex, onPress }: DeedButtonProps) {
  return (
    <Tooltip label={label}>
      <ActionIcon
        className={classes["deed"]}
        variant="subtle"
        color="gray"
        size={28}
        aria-label={label}
        aria-haspopup="dialog"
        tabIndex={tabIndex}
        onClick={onPress}
      >
        <Icon size={16} aria-hidden />
      </ActionIcon>
    </Tooltip>
  );
}
