import type { Partner } from "@suncrew/contract/partners/partners.ts";
import type { Executor } from "../../platform/database/database.ts";
import type { Viewer } from "../../platform/sessions.ts";

/**
 * Every partner for a Super Admin, with its generated password as `readPassword` decrypts it; a partner sees only its
 * own record, without the credentials.
 */
export async function readPartners(
  viewer: Viewer,
  db: Executor,
  readPassword: (userId: number, sealed: string) => string | null,
): Promise<Partner[]> {
  const isAdmin = viewer.role === "SUPER_ADMIN";
  const rows = await db
    .selectFrom("partners")
    .leftJoinLateral(
      (eb) =>
        eb
          .selectFrom("users")
          .select(["users.id", "users.username", "users.enc_password"])
          .whereRef("users.partner_id", "=", "partners.id")
          .where("users.deleted_at", "is", null)
          .orderBy("users.id")
          .limit(1)
          .as("sign_in"),
      (join) => join.onTrue(),
    )
    .select(["partners.id", "partners.name", "partners.contact_person", "partners.contact_info", "partners.email"])
    .select(["partners.address", "partners.city", "partners.state", "partners.zip_code", "partners.country"])
    .select(["partners.tax_id", "partners.registration", "partners.certifications", "partners.status"])
    .select(["partners.created_at", "partners.built_in", "partners.version"])
    .select(["sign_in.username", "sign_in.id as user_id", "sign_in.enc_password"])
    .where("partners.deleted_at", "is", null)
    .$if(!isAdmin, (query) => query.where("partners.id", "=", viewer.partnerId))
    .orderBy("partners.name")
    .orderBy("partners.id")
    .execute();
  return rows.map(({ username, user_id, enc_password, ...row }) => {
    const partner = { ...row, created_at: row.created_at.toISOString() };
    if (!isAdmin) return { ...partner, username: null, user_id: null };
    const password = user_id === null || enc_password === null ? null : readPassword(user_id, enc_password);
    return { ...partner, username, user_id, enc_password: password };
  });
}
