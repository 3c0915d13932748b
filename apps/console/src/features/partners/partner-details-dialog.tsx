import { ActionIcon, Modal, Tooltip } from "@mantine/core";
import { partnerDetails } from "@suncrew/contract/partners/partners.ts";
import type { Partner } from "@suncrew/contract/partners/partners.ts";
import { IconCopy } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { routeQuery } from "../../platform/api/route-query.ts";
import { toast } from "../../platform/toast.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { FailedState } from "../../ui/failed-state.tsx";
import { useFocusBack } from "../../ui/use-focus-back.ts";
import { SkeletonLines } from "../../ui/skeletons.tsx";
import { copyText } from "./copy-text.ts";
import classes from "./partner-details-dialog.module.css";
import { certificationsOf, partnerFactsOf } from "./partner-facts.ts";

export interface PartnerDetailsDialogProps {
  readonly partnerId: number;
  /** Known before the details are loaded. */
  readonly partnerName: string;
  readonly onClose: () => void;
}

/** §2 Partner details dialog, fed by the real partners. */
export function PartnerDetailsDialog({ partnerId, partnerName, onClose }: PartnerDetailsDialogProps) {
  useFocusBack();
  const query = useQuery(routeQuery(partnerDetails, {}));
  const partner = query.data?.find((one) => one.id === partnerId);
  return (
    <Modal opened onClose={onClose} title={partnerName}>
      {query.isPending ? (
        <SkeletonLines label="Loading partner details" lines={8} lineHeightPx={24} />
      ) : query.isError ? (
        <FailedState
          title="The partner details could not be loaded."
          onRetry={() => void query.refetch()}
          retrying={query.isFetching}
        />
      ) : partner === undefined ? (
        <EmptyState title="The details of this partner are not available." />
      ) : (
        <PartnerFacts partner={partner} />
      )}
    </Modal>
  );
}

function PartnerFacts({ partner }: { partner: Partner }) {
  const certifications = certificationsOf(partner);
  return (
    <dl className={classes["facts"]}>
      {partnerFactsOf(partner).map(({ term, text, copyAs }) => (
        <div key={term} style={{ display: "contents" }}>
          <dt>{term}</dt>
          <dd>
            {text}
            {copyAs !== undefined && <CopyButton what={copyAs} text={text} />}
          </dd>
        </div>
      ))}
      <dt>Certifications</dt>
      <dd>
        {certifications.length === 0 ? (
          "Not given"
        ) : (
          <ul className={classes["certifications"]}>
            {certifications.map((name) => (
              <li key={name}>{name}</li>
            ))}
          </ul>
        )}
      </dd>
    </dl>
  );
}

function CopyButton({ what, text }: { what: string; text: string }) {
  const copy = async () => {
    if (await copyText(text)) toast.copied(what);
    else toast.failure({ title: "Not Copied", message: `${what} could not be copied. Select it and copy it by hand.` });
  };
  const label = `Copy ${what.toLowerCase()}`;
  return (
    <Tooltip label={label} withinPortal={false}>
      <ActionIcon variant="subtle" color="gray" size={32} aria-label={label} onClick={() => void copy()}>
        <IconCopy size={16} aria-hidden />
      </ActionIcon>
    </Tooltip>
  );
}
