import { mayCall } from "@suncrew/domain/auth/permissions.ts";
import { useSignedIn } from "../../platform/session/use-session.ts";
import { DeployDialog, RolloutsDialog } from "./firmware-code.ts";
import { useFirmwareAddress } from "./firmware-address.ts";

/** The dialog about firmware that stands in the page's address. There for Super Admins only (§6). */
export function FirmwareDialogs({ siteId }: { readonly siteId: number | null }) {
  const { role } = useSignedIn();
  const { dialog, show } = useFirmwareAddress();
  if (dialog === null || !mayCall(role, "createRollout")) return null;
  return dialog.kind === "deploy" ? (
    <DeployDialog
      siteId={siteId}
      onRollouts={() => show({ kind: "list" })}
      onStarted={(rolloutId) => show({ kind: "rollout", rolloutId }, "replace")}
      onClose={() => show(null)}
    />
  ) : (
    <RolloutsDialog
      rolloutId={dialog.kind === "rollout" ? dialog.rolloutId : null}
      onShow={show}
      onClose={() => show(null)}
    />
  );
}
