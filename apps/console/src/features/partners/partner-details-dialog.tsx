import { partnerDetails, type Partner } from "@suncrew/contract/partners/partners.ts";
import { useQuery } from "@tanstack/react-query";
import { routeQuery } from "../../platform/api/route-query.ts";
import { EmptyState } from "../../ui/empty-state.tsx";
import { SkeletonLines } from "../../ui/skeletons.tsx";
import { CopyButton } from "../../platform/copy-button.tsx";
import shared from "../../ui/shared.module.css";
import classes from "./partner-details-dialog.module.css";
import { certificationsOf, partnerFactsOf } from "./partner-model.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { QueryState } from "../../platform/query-state.tsx";

export interface PartnerDetailsDialogProps {
  readonly partnerId: number;
  /** Known before the details are loaded. */
  readonly partnerName: string;
  readonly onClose: () => void;
}

/** §2 Partner details dialog, with the real partners. */
export function PartnerDetailsDialog({ partnerId, partnerName, onClose }: PartnerDetailsDialogProps) {
  const query = useQuery(routeQuery(partnerDetails, {}));
  const partner = query.data?.find((one) => one.id === partnerId);
  return (
    <Dialog onClose={onClose} title={partnerName}>
      <QueryState
        query={query}
        loading={<SkeletonLines label="Loading partner details" lines={8} lineHeightPx={24} />}
        failed="The partner details could not be loaded."
      >
        {() =>
          partner === undefined ? (
            <EmptyState title="The details of this partner are not available." />
          ) : (
            <PartnerFacts partner={partner} />
          )
        }
      </QueryState>
    </Dialog>
  );
}

function PartnerFacts({ partner }: { partner: Partner }) {
  const certifications = certificationsOf(partner);
  return (
    <dl className={`${shared["facts"]} ${shared["factsWithButtons"]} ${classes["facts"]}`}>
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
          <ul className={shared["chips"]}>
            {certifications.map((name) => (
              <li key={name}>{name}</li>
            ))}
          </ul>
        )}
      </dd>
    </dl>
  );
}
