import { adminList, createAdmin, removeAdmin, resetAdminPassword } from "@suncrew/contract/admins/admins.ts";
import type { Admin } from "@suncrew/contract/admins/admins.ts";
import type { FieldError } from "@suncrew/contract/http/error.ts";
import { call } from "../../platform/api/call.ts";
import { change } from "../../platform/api/change.ts";
import { ApiError } from "../../platform/api/errors.ts";
import { queryKeyOf } from "../../platform/api/route-query.ts";

/** Adds a Super Admin, resets the password of one, or removes one. */
export type AdminAction = { readonly kind: "add" } | { readonly kind: "reset" | "remove"; readonly admin: Admin };

/** The form's fields in order; a reset and a removal have only the password. */
export const adminFields = ["name", "username", "email", "password"] as const;
export type AdminField = (typeof adminFields)[number];
export type AdminDraft = Readonly<Record<AdminField, string>>;
export type AdminProblems = Readonly<Partial<Record<AdminField, string>>>;

export const emptyAdmin: AdminDraft = { name: "", username: "", email: "", password: "" };

/** Credentials with a generated password, which is shown once. */
export interface NewSignIn {
  readonly message: string;
  readonly username: string;
  readonly password: string;
}

export type AdminOutcome =
  | { readonly kind: "done"; readonly signIn: NewSignIn | null }
  | { readonly kind: "refused"; readonly problems: AdminProblems };

/** What is wrong, by field; empty if it may be sent. */
export function adminProblems(action: AdminAction, draft: AdminDraft): AdminProblems {
  const schema = action.kind === "add" ? createAdmin.body : removeAdmin.body;
  const parsed = schema.safeParse(draft);
  if (parsed.success) return {};
  return problemsOf(
    parsed.error.issues.map(({ path, message }) => ({ field: String(path[0]), message })),
    false,
  );
}

/** The server's messages are whole sentences; a schema's may follow the name of the field. */
function problemsOf(errors: readonly FieldError[], isSentence: boolean): AdminProblems {
  const found: Partial<Record<AdminField, string>> = {};
  for (const { field, message } of errors) {
    const known = adminFields.find((name) => name === field);
    if (known === undefined) continue;
    const sentence = isSentence || !/^[a-z]/.test(message) ? message : `${known} ${message}`;
    found[known] ??= sentence.charAt(0).toUpperCase() + sentence.slice(1);
  }
  return found;
}

const failedTitles = {
  add: "Super Admin Not Added",
  reset: "Password Reset Failed",
  remove: "Super Admin Not Removed",
};

/** Problems of fields are returned, to be shown at the fields; other failures are toasts. */
export async function changeAdmins(action: AdminAction, draft: AdminDraft): Promise<AdminOutcome> {
  const outcome = await change({
    send: () => send(action, draft),
    invalidates: [queryKeyOf(adminList, {})],
    success: (signIn) => (signIn.password === null ? { title: "Super Admin Removed", message: signIn.message } : null),
    failure: (error) =>
      error instanceof ApiError && Object.keys(problemsOf(error.errors, true)).length > 0
        ? null
        : {
            title: failedTitles[action.kind],
            message: action.kind === "add" ? "Nobody was added." : `Nothing was changed for ${action.admin.name}.`,
          },
  });
  if (outcome.kind !== "done") {
    return { kind: "refused", problems: outcome.kind === "refused" ? problemsOf(outcome.problems, true) : {} };
  }
  const { message, username, password } = outcome.answer;
  return { kind: "done", signIn: password === null ? null : { message, username, password } };
}

interface AdminAnswer {
  readonly message: string;
  readonly username: string;
  /** Null if none was generated. */
  readonly password: string | null;
}

async function send(action: AdminAction, { password, ...draft }: AdminDraft): Promise<AdminAnswer> {
  if (action.kind === "add") {
    const { message, credentials } = await call(createAdmin, { body: { ...draft, password } });
    return { message, ...credentials };
  }
  const params = { id: action.admin.id };
  if (action.kind === "reset") {
    const { message, credentials } = await call(resetAdminPassword, { params, body: { password } });
    return { message, ...credentials };
  }
  const { message } = await call(removeAdmin, { params, body: { password } });
  return { message, username: action.admin.username, password: null };
}
