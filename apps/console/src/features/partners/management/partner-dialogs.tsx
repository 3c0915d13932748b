import type { Partner } from "@suncrew/contract/partners/partners.ts";
import { useEffect } from "react";
import { lazyDialog } from "../../../ui/lazy-dialog.tsx";
import { useReturnFocus } from "../../../ui/dialog.tsx";
import { signInOf } from "../share/sign-in-of.ts";
import type { NewPartner } from "../share/sign-in-of.ts";

const PartnerDialog = lazyDialog(
  ({ partner }) => (partner === null ? "Add New Partner" : "Edit Partner"),
  async () => (await import("./partner-dialog.tsx")).PartnerDialog,
);
const DeletePartnerDialog = lazyDialog(
  () => "Delete Partner",
  async () => {
    return (await import("./delete-partner-dialog.tsx")).DeletePartnerDialog;
  },
);
const ShareDialog = lazyDialog(
  () => "Share Login Credentials",
  async () => (await import("../share/share-dialog.tsx")).ShareDialog,
);

/** Which dialog of the page is open. None stands in the address: what they show and do is not for links. */
export type OpenDialog =
  | { readonly kind: "add" }
  | { readonly kind: "edit"; readonly partner: Partner }
  | { readonly kind: "delete"; readonly partner: Partner }
  /** `created` where it opened by itself after a creation. */
  | { readonly kind: "share"; readonly partnerId: number; readonly created: NewPartner | null };

export interface PartnerDialogsProps {
  readonly open: OpenDialog;
  readonly partners: readonly Partner[];
  /** Another dialog in place of this one; null closes it. */
  readonly onOpen: (open: OpenDialog | null) => void;
}

/** One dialog at a time; the focus goes back to what opened the first of them. */
export function PartnerDialogs({ open, partners, onOpen }: PartnerDialogsProps) {
  useReturnFocus();
  const close = () => onOpen(null);
  switch (open.kind) {
    case "add":
    case "edit":
      return (
        <PartnerDialog
          partner={open.kind === "edit" ? (partners.find(({ id }) => id === open.partner.id) ?? open.partner) : null}
          isGone={open.kind === "edit" && !partners.some(({ id }) => id === open.partner.id)}
          // §4 Partner: after creation the credentials dialog opens by itself.
          onCreated={(created) => onOpen({ kind: "share", partnerId: created.id, created })}
          onClose={close}
        />
      );
    case "delete":
      return <DeletePartnerDialog partner={open.partner} onClose={close} />;
    case "share":
      return <Share open={open} partners={partners} onOpen={onOpen} />;
  }
}

type OpenShare = Extract<OpenDialog, { kind: "share" }>;

function Share({ open, partners, onOpen }: PartnerDialogsProps & { readonly open: OpenShare }) {
  const { created, partnerId } = open;
  const signIn = signInOf(
    partners.find(({ id }) => id === partnerId),
    created,
  );
  const isGone = signIn === null;
  useEffect(() => {
    // Somebody else deleted the partner.
    if (isGone) onOpen(null);
  }, [isGone, onOpen]);
  if (isGone) return null;
  return (
    <ShareDialog
      signIn={signIn}
      onReset={(password) => onOpen({ ...open, created: created === null ? null : { ...created, password } })}
      onClose={() => onOpen(null)}
    />
  );
}
