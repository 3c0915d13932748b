import { logout } from "@suncrew/contract/auth/auth.ts";
import { call } from "../../platform/api/call.ts";
import { queryClient } from "../../platform/api/query-client.ts";
import { clearSession } from "../../platform/session/session.ts";

/**
 * §4 Session: logout tells the server, whose answer is ignored, and clears what the browser keeps. The
 * live stream ends with the session.
 */
export function signOut(): void {
  // The request carries the token, so it begins before the token is gone; it may outlive the page.
  call(logout, {}, { keepalive: true }).catch(() => undefined);
  clearSession();
  queryClient.clear();
}
