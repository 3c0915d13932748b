import { adminList, createAdmin, removeAdmin, resetAdminPassword } from "@suncrew/contract/admins/admins.ts";
import type { Admin } from "@suncrew/contract/admins/admins.ts";
import type { FieldError } from "@suncrew/contract/http/error.ts";
import { call } from "../../platform/api/call.ts";
import { ApiError, serverReason, TokenExpiredError } from "../../platform/api/errors.ts";
import { queryClient } from "../../platform/api/query-client.ts";
import { queryKeyOf } from "../../platform/api/route-query.ts";
import { toast } from "../../platform/toast.tsx";

/** What is to be done: somebody is added, or it is done to one who is there. */
export type AdminDeed = { readonly kind: "add" } | { readonly kind: "reset" | "remove"; readonly admin: Admin };

/** The form's fields in its order; a reset and a removal ask for the password alone. */
export const adminFields = ["name", "username", "email", "password"] as const;
export type AdminField = (typeof adminFields)[number];
export type AdminDraft = Readonly<Record<AdminField, string>>;
export type AdminProblems = Readonly<Partial<Record<AdminField, string>>>;

export const emptyAdmin: AdminDraft = { name: "", username: "", email: "", password: "" };

/** A sign-in with a generated password, which is told once. */
export interface NewSignIn {
  readonly message: string;
  readonly username: string;
  readonly password: string;
}

export type AdminOutcome =
  | { readonly kind: "done"; readonly signIn: NewSignIn | null }
  | { readonly kind: "refused"; readonly problems: AdminProblems };

/** What is wrong, by field; empty where it may be sent. */
export function adminProblems(deed: AdminDeed, draft: AdminDraft): AdminProblems {
  const schema = deed.kind === "add" ? createAdmin.body : removeAdmin.body;
  const parsed = schema.safeParse(draft);
  if (parsed.success) return {};
  return problemsOf(parsed.error.issues.map(({ path, message }) => ({ field: String(path[0]), message })));
}

function problemsOf(errors: readonly FieldError[]): AdminProblems {
  const found: Partial<Record<AdminField, string>> = {};
  for (const { field, message } of errors) {
    const known = adminFields.find((name) => name === field);
    if (known === undefined) continue;
    const sentence = message.startsWith(known) || !/^[a-z]/.test(message) ? message : `${known} ${message}`;
    found[known] ??= sentence.charAt(0).toUpperCase() + sentence.slice(1);
  }
  return found;
}

const failedTitles = {
  add: "Super Admin Not Added",
  reset: "Password Reset Failed",
  remove: "Super Admin Not Removed",
};

/** Does it, tells how that went, and reads the list again. Never throws. */
export async function changeAdmins(deed: AdminDeed, draft: AdminDraft): Promise<AdminOutcome> {
  try {
    return { kind: "done", signIn: await send(deed, draft) };
  } catch (error) {
    const problems = error instanceof ApiError ? problemsOf(error.errors) : {};
    // What stands at its field is not told twice.
    if (!(error instanceof TokenExpiredError) && Object.keys(problems).length === 0) {
      toast.failure({
        title: failedTitles[deed.kind],
        message: deed.kind === "add" ? "Nobody was added." : `Nothing was changed for ${deed.admin.name}.`,
        reason: serverReason(error),
      });
    }
    return { kind: "refused", problems };
  } finally {
    await queryClient.invalidateQueries({ queryKey: queryKeyOf(adminList, {}) });
  }
}

async function send(deed: AdminDeed, { password, ...draft }: AdminDraft): Promise<NewSignIn | null> {
  if (deed.kind === "add") {
    const { message, credentials } = await call(createAdmin, { body: { ...draft, password } });
    return { message, ...credentials };
  }
  const params = { id: deed.admin.id };
  if (deed.kind === "reset") {
    const { message, credentials } = await call(resetAdminPassword, { params, body: { password } });
    return { message, ...credentials };
  }
  const { message } = await call(removeAdmin, { params, body: { password } });
  toast.success({ title: "Super Admin Removed", message });
  return null;
}
