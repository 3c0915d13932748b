import { Alert, Button, Group as Row, Modal, Text } from "@mantine/core";
import type { Site } from "@suncrew/contract/sites/sites.ts";
import { IconHandStop } from "@tabler/icons-react";
import { useRef, useState } from "react";
import { DisabledReason } from "../../../ui/disabled-reason.tsx";
import { FailedState } from "../../../ui/failed-state.tsx";
import { SkeletonLines } from "../../../ui/skeletons.tsx";
import { useFocusBack } from "../../../ui/use-focus-back.ts";
import { removeSite } from "./site-calls.ts";
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
  useFocusBack();
  const contents = useSiteContents(site.id);
  const [refusal, setRefusal] = useState<string | null>(null);
  const [isDeleting, setDeleting] = useState(false);
  const isUnderWay = useRef(false);
  const moving = contents.state === "loaded" ? movingSentence(contents.moving) : null;
  const told = moving ?? refusal;
  const withIt = contentsText(contents);

  const remove = async () => {
    if (isUnderWay.current) return;
    isUnderWay.current = true;
    setDeleting(true);
    const reason = await removeSite(site, onGone);
    isUnderWay.current = false;
    setDeleting(false);
    setRefusal(reason);
  };

  return (
    <Modal opened onClose={onClose} title="Delete Site">
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
          {told !== null && (
            <Alert color="red" icon={<IconHandStop size={18} />} title="It cannot be deleted now" mt="md" role="alert">
              {told}
            </Alert>
          )}
        </>
      )}
      <Row justify="flex-end" mt="lg" gap="xs">
        <Button variant="default" onClick={onClose} data-autofocus>
          Cancel
        </Button>
        <DisabledReason reason={contents.state === "loaded" ? moving : "What belongs to the site is not known yet."}>
          <Button color="red" loading={isDeleting} onClick={() => void remove()}>
            Delete Site
          </Button>
        </DisabledReason>
      </Row>
    </Modal>
  );
}
