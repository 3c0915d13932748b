import { EntityDialog } from "../../../platform/form/entity-dialog.tsx";
import { PartnerFields } from "./partner-fields.tsx";
import { type PartnerFormOptions, usePartnerForm } from "./use-partner-form.ts";

/** §5 Partner add/edit. */
export function PartnerDialog(props: PartnerFormOptions) {
  const isNew = props.partner === null;
  const state = usePartnerForm(props);
  return (
    <EntityDialog
      state={state}
      title={isNew ? "Add New Partner" : "Edit Partner"}
      submitLabel={isNew ? "Add Partner" : "Save"}
      size="lg"
      fullScreenBelow="48em"
      onClose={props.onClose}
    >
      <PartnerFields state={state} />
    </EntityDialog>
  );
}
