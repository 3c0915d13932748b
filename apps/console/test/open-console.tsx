import type { login } from "@suncrew/contract/auth/auth.ts";
import type { ResponseOf } from "@suncrew/contract/http/route.ts";
import { createRoot, type Root } from "react-dom/client";
import { App } from "../src/app/app.tsx";
import { createRouter } from "../src/app/router.tsx";
import { queryClient } from "../src/platform/api/query-client.ts";
import { openQuestion } from "../src/platform/confirm/confirm.ts";
import { clearSession, startSession } from "../src/platform/session/session.ts";
import { endToast } from "../src/platform/toast.tsx";
import { MessageLinkPage } from "../src/features/notifications/message-link-page.tsx";
import { ThemeProvider } from "../src/ui/theme/theme-provider.tsx";
import { WallboardPage } from "../src/features/wallboard/wallboard-page.tsx";
import { chooseTheme } from "../src/ui/theme/theme-choice.ts";
import { forgetAnswers } from "./answers.ts";
import { accounts } from "./sample-fleet.ts";

/** One for all tests of a file, as a page has one. */
export const router = createRouter();
let root: Root | null = null;

/** Shows the whole console at a URL, to a signed-in user, or to nobody. */
export async function openConsole(address: string, account: keyof typeof accounts | null = "admin"): Promise<void> {
  if (account !== null) startSession(signInOf(account));
  await router.navigate(address, { replace: true });
  const place = document.createElement("div");
  place.id = "root";
  document.body.append(place);
  root = createRoot(place);
  root.render(<App router={router} />);
}

/** Shows the wallboard in place of the console, as to somebody who is signed in. */
export function showWallboard(): void {
  startSession(signInOf("admin"));
  const place = document.createElement("div");
  place.id = "root";
  document.body.append(place);
  root = createRoot(place);
  root.render(<WallboardPage />);
}

/** Shows the page of a message's link to nobody in particular; without a token, as if the link were cut off. */
export function showMessageLink(token: string | null): void {
  history.replaceState(null, "", token === null ? location.pathname : `#${token}`);
  const place = document.createElement("div");
  place.id = "root";
  document.body.append(place);
  root = createRoot(place);
  root.render(
    <ThemeProvider>
      <MessageLinkPage />
    </ThemeProvider>,
  );
}

/** Unmounts the console, with everything it remembers. */
export async function closeConsole(): Promise<void> {
  openQuestion()?.answer(false);
  root?.unmount();
  root = null;
  document.getElementById("root")?.remove();
  clearSession();
  await queryClient.cancelQueries();
  await forgetAnswers();
  queryClient.clear();
  endToast();
  chooseTheme("light");
  localStorage.clear();
  sessionStorage.clear();
}

/** The server's answer to a sign-in. */
export function signInOf(name: keyof typeof accounts): ResponseOf<typeof login> {
  const { username, role, ...account } = accounts[name];
  // Not signed: the console reads only the middle segment of a token.
  const claims = { role, username, exp: Math.floor(Date.now() / 1000) + 3600 };
  const token = `test.${btoa(JSON.stringify(claims))}.test`;
  return { message: "Login successful", token, user: { id: 1, role, ...account } };
}
