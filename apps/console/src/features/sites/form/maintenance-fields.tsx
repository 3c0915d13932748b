import { Button } from "@mantine/core";
import { partnerDetails } from "@suncrew/contract/partners/partners.ts";
import type { Partner } from "@suncrew/contract/partners/partners.ts";
import { useQuery } from "@tanstack/react-query";
import { routeQuery } from "../../../platform/api/route-query.ts";
import { DisabledReason } from "../../../ui/disabled-reason.tsx";
import { PartnerPicker } from "../../partners/public.ts";
import classes from "./site-dialog.module.css";
import { SiteTextField } from "./site-fields.tsx";
import type { SiteFormState } from "./use-site-form.ts";

export interface MaintenanceFieldsProps {
  readonly state: SiteFormState;
  /** The picker of partners is open: Escape is for it alone. */
  readonly isPicking: boolean;
  readonly onPicking: (isPicking: boolean) => void;
}

/** §5 Site create: a maintenance partner, or contact, phone and e-mail, which a chosen partner fills. */
export function MaintenanceFields({ state, isPicking, onPicking }: MaintenanceFieldsProps) {
  const { form, change } = state;
  const partners = useQuery(routeQuery(partnerDetails, {})).data;
  const partner = partners?.find(({ id }) => id === form.maintenancePartnerId);
  const hasPartner = form.maintenancePartnerId !== null;
  const problem = state.problemAt("maintenancePartnerId");
  const filled = (text: string | null | undefined) =>
    hasPartner ? { shown: text ?? "", disabled: true, required: false, withAsterisk: false } : {};

  const choose = (chosen: Partner | null) => {
    change({ maintenancePartnerId: chosen?.id ?? null, maintenancePartner: chosen?.name ?? "" });
    onPicking(false);
  };

  return (
    <fieldset className={classes["maintenance"]}>
      <legend className={classes["legend"]}>Maintenance partner</legend>
      <div className={classes["partner"]}>
        <span className={classes["partnerName"]} data-none={!hasPartner || undefined}>
          {hasPartner ? form.maintenancePartner : "No partner: give contact, phone and email below"}
        </span>
        <DisabledReason
          reason={state.mayChoosePartner ? null : "Only Super Admins can change the maintenance partner."}
        >
          <Button
            variant="default"
            size="xs"
            name="maintenancePartnerId"
            aria-haspopup="dialog"
            onClick={() => onPicking(true)}
          >
            Select Maintenance Partner
          </Button>
        </DisabledReason>
      </div>
      {problem !== null && (
        <p className={classes["problem"]} role="alert">
          {problem}
        </p>
      )}
      <div className={classes["contacts"]}>
        <SiteTextField state={state} field="maintenanceContact" {...filled(partner?.contact_person)} />
        <SiteTextField state={state} field="maintenancePhone" type="tel" {...filled(partner?.contact_info)} />
        <SiteTextField
          state={state}
          field="maintenanceEmail"
          type="email"
          className={classes["whole"]}
          {...filled(partner?.email)}
        />
      </div>
      {isPicking && (
        <PartnerPicker
          chosenId={form.maintenancePartnerId}
          onChoose={choose}
          // The Escape that closes it must not find the dialog below listening again.
          onClose={() => setTimeout(() => onPicking(false))}
        />
      )}
    </fieldset>
  );
}
