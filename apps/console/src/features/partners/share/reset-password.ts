import { partnerDetails, resetPartnerPassword } from "@suncrew/contract/partners/partners.ts";
import type { Partner } from "@suncrew/contract/partners/partners.ts";
import { call } from "../../../platform/api/call.ts";
import { serverReason, TokenExpiredError } from "../../../platform/api/errors.ts";
import { queryClient } from "../../../platform/api/query-client.ts";
import { queryKeyOf } from "../../../platform/api/route-query.ts";
import { toast } from "../../../platform/toast.tsx";

/**
 * §4 Partner: gives the partner's user a new password, which replaces the shown one and signs it out. Answers it, or
 * null where the server did not. Says so in a toast (§8 Partners) and never throws.
 */
export async function resetPassword(partnerId: number, name: string): Promise<string | null> {
  const queryKey = queryKeyOf(partnerDetails, {});
  try {
    const { newPassword } = await call(resetPartnerPassword, { params: { id: partnerId } });
    // A list that was asked for before has the old password.
    await queryClient.cancelQueries({ queryKey });
    queryClient.setQueryData<readonly Partner[]>(queryKey, (partners) =>
      partners?.map((partner) => (partner.id === partnerId ? { ...partner, enc_password: newPassword } : partner)),
    );
    // A partner without a user has one now, with a name that the list tells.
    await queryClient.invalidateQueries({ queryKey });
    toast.success({
      title: "Password Reset Successfully",
      message: `${name} has a new password and has been signed out.`,
    });
    return newPassword;
  } catch (error) {
    if (error instanceof TokenExpiredError) return null;
    toast.failure({
      title: "Password Reset Failed",
      message: "Failed to reset password. Please try again.",
      reason: serverReason(error),
    });
    return null;
  }
}
