import { Button } from "@mantine/core";
import { DialogFooter } from "./dialog.tsx";
import { DisabledReason } from "./disabled-reason.tsx";

export interface FormButtonsProps {
  readonly submitLabel: string;
  readonly color?: string | undefined;
  readonly isSaving: boolean;
  /** Why the form cannot be submitted; null if it can. */
  readonly blockedReason: string | null;
  /** Submitting calls this while the form cannot be submitted: it shows what is wrong. */
  readonly onRefused?: () => void;
  readonly onCancel: () => void;
}

/** The end of a form in a dialog: Cancel, and the button that submits it. */
export function FormButtons(props: FormButtonsProps) {
  const { submitLabel, color, isSaving, blockedReason, onRefused, onCancel } = props;
  return (
    <DialogFooter isEqual>
      <Button variant="default" disabled={isSaving} onClick={onCancel}>
        Cancel
      </Button>
      <DisabledReason reason={blockedReason} {...(onRefused && { onRefused })}>
        <Button type="submit" loading={isSaving} {...(color !== undefined && { color })}>
          {submitLabel}
        </Button>
      </DisabledReason>
    </DialogFooter>
  );
}
