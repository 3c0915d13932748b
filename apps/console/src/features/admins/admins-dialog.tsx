import { Badge, Box, Button, Group } from "@mantine/core";
import { adminList, type Admin } from "@suncrew/contract/admins/admins.ts";
import { mayCall } from "@suncrew/domain/auth/permissions.ts";
import { IconKey, IconPlus, IconShieldLock, IconTrash } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useUrlDialog } from "../../platform/url-params.tsx";
import { routeQuery } from "../../platform/api/route-query.ts";
import { useSignedIn } from "../../platform/session/use-session.ts";
import { QueryState } from "../../platform/query-state.tsx";
import { RelativeTime } from "../../ui/relative-time.tsx";
import { SkeletonLines } from "../../ui/skeletons.tsx";
import { Cell, VirtualTable } from "../../ui/virtual-table.tsx";
import type { AdminAction, NewSignIn } from "./admin-calls.ts";
import { AdminForm, NewSignInDialog } from "./admin-form.tsx";
import shared from "../../ui/shared.module.css";
import classes from "./admins-dialog.module.css";
import { RowAction } from "../../ui/row-action.tsx";
import { ToolButton } from "../../ui/tool-button.tsx";
import { Dialog, useIsNarrow } from "../../ui/dialog.tsx";

const ROW_PX = 48;
const NARROW_ROW_PX = 92;
/** Who is signed in changes by itself. */
const REFETCH_INTERVAL_MS = 30_000;

/** Opens the Super Admins dialog, which the URL names. For Super Admins only (§6). */
export function AdminsButton() {
  const { role } = useSignedIn();
  const [isShown, show] = useUrlDialog("admins");
  if (!mayCall(role, "adminList")) return null;
  return (
    <>
      <ToolButton icon={IconShieldLock} aria-haspopup="dialog" onClick={() => show(true)}>
        Super Admins
      </ToolButton>
      {isShown && <AdminsDialog onClose={() => show(false)} />}
    </>
  );
}

/** Where Super Admins add and remove each other and reset passwords. */
function AdminsDialog({ onClose }: { onClose: () => void }) {
  const isNarrow = useIsNarrow();
  const query = useQuery({
    ...routeQuery(adminList, {}),
    refetchOnMount: "always",
    refetchInterval: REFETCH_INTERVAL_MS,
  });
  const [above, setAbove] = useState<AdminAction | { readonly kind: "signIn"; readonly signIn: NewSignIn } | null>(
    null,
  );
  return (
    <Dialog onClose={onClose} title="Super Admins" size={860} fullScreenBelow="48em" isColumn>
      <Group gap="10px 16px" justify="space-between" flex="none" mb={12}>
        <Box component="p" flex="1 1 280px" fz={13} c="dimmed">
          Super Admins see every site and can do everything, including adding and removing each other.
        </Box>
        <Button
          leftSection={<IconPlus size={16} aria-hidden />}
          aria-haspopup="dialog"
          onClick={() => setAbove({ kind: "add" })}
        >
          Add Super Admin
        </Button>
      </Group>
      <QueryState
        query={query}
        loading={<SkeletonLines label="Loading Super Admins" lines={4} lineHeightPx={40} />}
        failed="The Super Admins could not be loaded."
      >
        {(admins) => (
          <VirtualTable
            label="Super Admins"
            columns={["Name", "Username", "Email", "Sign-In", "Actions"]}
            rows={admins}
            keyOf={({ id }) => id}
            rowPx={isNarrow ? NARROW_ROW_PX : ROW_PX}
            isNarrow={isNarrow}
            className={classes["table"]}
            rowClassName={classes["row"]}
          >
            {(admin) => <AdminCells admin={admin} onAction={(kind) => setAbove({ kind, admin })} />}
          </VirtualTable>
        )}
      </QueryState>
      {above?.kind === "signIn" && <NewSignInDialog signIn={above.signIn} onClose={() => setAbove(null)} />}
      {above !== null && above.kind !== "signIn" && (
        <AdminForm
          action={above}
          onDone={(signIn) => setAbove(signIn && { kind: "signIn", signIn })}
          onClose={() => setAbove(null)}
        />
      )}
    </Dialog>
  );
}

function AdminCells({ admin, onAction }: { admin: Admin; onAction: (kind: "reset" | "remove") => void }) {
  const { user } = useSignedIn();
  const { id, name, username, email } = admin;
  const isOneself = String(id) === user.id;
  return (
    <>
      <Cell area="name" className={classes["name"]} title={name}>
        <span className={shared["truncate"]}>{name}</span>
        {isOneself && (
          <Badge size="sm" variant="light" flex="none">
            You
          </Badge>
        )}
      </Cell>
      <Cell area="username" isCut title={username}>
        {username}
      </Cell>
      <Cell area="email" isCut className={classes["email"]} title={email}>
        {email === "" ? "–" : email}
      </Cell>
      <Cell area="state" className={`${shared["muted"]} ${classes["state"]}`}>
        <SignInState admin={admin} />
      </Cell>
      <Cell area="actions" className={classes["actions"]}>
        {!isOneself && (
          <>
            <RowAction
              label="Reset password"
              name={`Reset the password of ${name}`}
              icon={IconKey}
              onPress={() => onAction("reset")}
            />
            <RowAction
              label="Remove"
              name={`Remove ${name}`}
              icon={IconTrash}
              isDestructive
              onPress={() => onAction("remove")}
            />
          </>
        )}
      </Cell>
    </>
  );
}

function SignInState({ admin: { signed_in_at, password_until } }: { admin: Admin }) {
  return (
    <>
      {signed_in_at === null ? (
        "Not signed in"
      ) : (
        <>
          Signed in <RelativeTime at={signed_in_at} />
        </>
      )}
      {password_until !== null && <span className={classes["generated"]}>Password not chosen yet</span>}
    </>
  );
}
