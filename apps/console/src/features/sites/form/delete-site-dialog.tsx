import { Text } from "@mantine/core";
import type { Site } from "@suncrew/contract/sites/sites.ts";
import { DeleteDialog } from "../../../ui/delete-dialog.tsx";
import { FailedState } from "../../../ui/failed-state.tsx";
import { SkeletonLines } from "../../../ui/skeletons.tsx";
import { removeSite } from "./use-site-form.ts";
import { contentsText, movingSentence } from "./site-contents.ts";
import { useSiteContents } from "./use-site-contents.ts";

export interface DeleteSiteDialogProps {
  readonly site: Site;
  /** Called once the site is gone, before the list is read again; closes the dialog. */
  readonly onGone: () => void;
  readonly onClose: () => void;
}

/** §2 Delete Site confirm: names what goes with the site, and says why where it cannot be deleted. */
export function DeleteSiteDialog({ site, onGone, onClose }: DeleteSiteDialogProps) {
  const contents = useSiteContents(site.id);
  const isLoaded = contents.state === "loaded";
  const withIt = contentsText(contents);
  return (
    <DeleteDialog
      title="Delete Site"
      obstacle={isLoaded ? movingSentence(contents.moving, contents.isAnyLost) : null}
      unknown={isLoaded ? null : "What belongs to the site is not known yet."}
      onDelete={() => removeSite(site, onGone)}
      onClose={onClose}
    >
      {contents.state === "loading" ? (
        <SkeletonLines label="Loading what belongs to the site" lines={2} lineHeightPx={40} />
      ) : contents.state === "failed" ? (
        <FailedState
          title="What belongs to the site could not be loaded."
          onRetry={contents.retry}
          retrying={contents.isRetrying}
        />
      ) : (
        <>
          <Text size="sm" style={{ overflowWrap: "anywhere" }}>
            <strong>{site.name}</strong> will be deleted
            {withIt === null ? ". It has no robots, groups or schedules." : ` with its ${withIt}.`}
          </Text>
          <Text size="sm" c="dimmed" mt="xs">
            This action cannot be undone. The history of the site and its robots stays readable
            {contents.robots > 0 && ", and the serial numbers are free again"}.
          </Text>
        </>
      )}
    </DeleteDialog>
  );
}
