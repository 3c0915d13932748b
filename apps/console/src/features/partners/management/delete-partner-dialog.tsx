import { Alert, Button, Group as Row, Modal } from "@mantine/core";
import type { Partner } from "@suncrew/contract/partners/partners.ts";
import { IconAlertTriangle } from "@tabler/icons-react";
import { useState } from "react";
import { removePartner } from "./partner-calls.ts";
import classes from "./partner-dialog.module.css";

export interface DeletePartnerDialogProps {
  readonly partner: Partner;
  readonly onClose: () => void;
}

/** §2: the delete dialog warns; where the server refuses, it says why and stays. */
export function DeletePartnerDialog({ partner, onClose }: DeletePartnerDialogProps) {
  const [isBusy, setBusy] = useState(false);
  const [refusal, setRefusal] = useState<string | null>(null);

  const remove = async () => {
    if (isBusy) return;
    setBusy(true);
    const outcome = await removePartner(partner);
    setBusy(false);
    if (outcome.isDeleted) onClose();
    else setRefusal(outcome.reason);
  };

  return (
    <Modal opened onClose={onClose} title="Delete Partner">
      <p className={classes["warning"]}>
        Delete <strong>{partner.name}</strong>? This action is permanent and cannot be undone.
        {partner.username !== null && (
          <>
            {" "}
            Its user <strong>{partner.username}</strong> is signed out and can no longer sign in.
          </>
        )}
      </p>
      {refusal !== null && (
        <Alert
          color="red"
          variant="light"
          role="alert"
          mt="sm"
          p="sm"
          icon={<IconAlertTriangle size={18} aria-hidden />}
          title="Not deleted"
        >
          {refusal}
        </Alert>
      )}
      <Row justify="flex-end" mt="lg" gap="xs">
        <Button variant="default" data-autofocus onClick={onClose}>
          Cancel
        </Button>
        <Button color="red" loading={isBusy} onClick={() => void remove()}>
          {refusal === null ? "Delete Partner" : "Try again"}
        </Button>
      </Row>
    </Modal>
  );
}
