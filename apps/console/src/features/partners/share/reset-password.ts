import { partnerDetails, resetPartnerPassword } from "@suncrew/contract/partners/partners.ts";
import type { Partner } from "@suncrew/contract/partners/partners.ts";
import { call } from "../../../platform/api/call.ts";
import { change } from "../../../platform/api/change.ts";
import { queryClient } from "../../../platform/api/query-client.ts";
import { queryKeyOf } from "../../../platform/api/route-query.ts";

/**
 * §4 Partner: gives the partner's user a new password, which replaces the shown one and signs the user out. Answers it,
 * or null where it failed (§8 Partners).
 */
export async function resetPassword(partnerId: number, name: string): Promise<string | null> {
  const queryKey = queryKeyOf(partnerDetails, {});
  const outcome = await change({
    send: async () => (await call(resetPartnerPassword, { params: { id: partnerId } })).newPassword,
    onDone: async (password) => {
      // A list that was asked for before has the old password.
      await queryClient.cancelQueries({ queryKey });
      queryClient.setQueryData<readonly Partner[]>(queryKey, (partners) =>
        partners?.map((partner) => (partner.id === partnerId ? { ...partner, enc_password: password } : partner)),
      );
    },
    // A partner without a user has one now, whose name the list has.
    invalidates: [queryKey],
    success: {
      title: "Password Reset Successfully",
      message: `${name} has a new password and has been signed out.`,
    },
    failure: { title: "Password Reset Failed", message: "Failed to reset password. Please try again." },
  });
  return outcome.kind === "done" ? outcome.answer : null;
}
