import type { Role } from "@suncrew/contract/auth/auth.ts";
import { useSignedIn } from "../../platform/session/use-session.ts";
import { roleWord } from "../auth/public.ts";
import classes from "./user-information.module.css";

/** §6: the account type of a role. */
const accountType: Record<Role, string> = { SUPER_ADMIN: "Administrator", PARTNER: "Partner" };

/** §2 Profile page, user information, read-only. */
export function UserInformation() {
  const { user, role } = useSignedIn();
  return (
    <dl className={classes["facts"]}>
      <dt>Name</dt>
      <dd>{user.name}</dd>
      <dt>Email</dt>
      <dd>{user.email === "" ? <span className={classes["none"]}>None</span> : user.email}</dd>
      <dt>Role</dt>
      <dd>
        <span className={classes["badge"]}>{roleWord[role]}</span>
      </dd>
      <dt>User ID</dt>
      <dd className={classes["number"]}>{user.id}</dd>
      <dt>Account Type</dt>
      <dd>{accountType[role]}</dd>
    </dl>
  );
}
