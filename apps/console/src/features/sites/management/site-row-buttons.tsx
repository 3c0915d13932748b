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
      <Tooltip label="Edit">
        <ActionIcon
          className={classes["deed"]}
          variant="subtle"
          color="gray"
          size={28}
          aria-label="Edit"
          aria-haspopup="dialog"
          tabIndex={tabIndex}
          onClick={() => onEdit(site)}
        >
          <IconEdit size={16} aria-hidden />
        </ActionIcon>
      </Tooltip>
      {mayCall(role, "deleteSite") && (
        <Tooltip label="Delete">
          <ActionIcon
            className={classes["deed"]}
            variant="subtle"
            color="gray"
            size={28}
            aria-label="Delete"
            aria-haspopup="dialog"
            tabIndex={tabIndex}
            onClick={() => onDelete(site)}
          >
            <IconTrash size={16} aria-hidden />
          </ActionIcon>
        </Tooltip>
      )}
    </span>
  );
}
