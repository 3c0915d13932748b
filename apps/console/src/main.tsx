import type { ReactNode } from "react";
import { createRoot } from "react-dom/client";
import { UnexpectedError } from "./app/message-page.tsx";
import { isMessageLink, isPagePath, isWallboard, paths } from "./platform/paths.ts";
import { reloadOnceServed } from "./platform/served-page.ts";
import { rememberRequestedPlace } from "./platform/session/left-place.ts";
import { addressOf, currentSession, dropExpiredSession, watchSession } from "./platform/session/session.ts";
import { ThemeProvider } from "./ui/theme/theme-provider.tsx";

/** After the sign-in page is painted. */
const NEXT_PAGES_AFTER_MS = 500;

dropExpiredSession(addressOf(location));
watchSession();

const place = document.getElementById("root");
if (place === null) throw new Error("The page has no place for the console.");
const root = createRoot(place);

void (isMessageLink(location.pathname)
  ? openMessageLink()
  : isSignInNeeded()
    ? openSignIn()
    : openConsole({ isAfterSignIn: false }));

function show(content: ReactNode): void {
  root.render(<ThemeProvider>{content}</ThemeProvider>);
}

/**
 * §2 Protected routes: signed-out visitors sign in first. The router and whatever else the pages need is not even
 * loaded until then. Any other URL is left to the router.
 */
function isSignInNeeded(): boolean {
  const { pathname, search } = location;
  if (currentSession() !== null) return false;
  if (!isPagePath(pathname)) return pathname === paths.signIn();
  rememberRequestedPlace(addressOf({ pathname, search, hash: "" }));
  history.replaceState(null, "", paths.signIn());
  return true;
}

function showFailure(error: unknown): void {
  show(<UnexpectedError message={error instanceof Error ? error.message : String(error)} />);
}

async function openSignIn(): Promise<void> {
  try {
    const { SignInPage } = await import("./features/auth/sign-in-page.tsx");
    show(<SignInPage onSignedIn={() => openConsole({ isAfterSignIn: true })} />);
    fetchNextPages();
  } catch (error) {
    showFailure(error);
  }
}

/** The page of a message's link, which is opened on phones far from the desk: nothing else is loaded. */
async function openMessageLink(): Promise<void> {
  try {
    const { MessageLinkPage } = await import("./features/notifications/message-link-page.tsx");
    show(<MessageLinkPage />);
  } catch (error) {
    showFailure(error);
  }
}

/** Loads the rest of the console, and shows it once its first page is ready; never rejects. */
async function openConsole(options: { readonly isAfterSignIn: boolean }): Promise<void> {
  try {
    const { startConsole } = await import("./app/app.tsx");
    show(await startConsole(options));
  } catch (error) {
    if (isWallboard(location)) reloadOnceServed();
    else showFailure(error);
  }
}

/** While somebody types a password, what comes next is preloaded; a failure shows when it is really needed. */
function fetchNextPages(): void {
  setTimeout(() => {
    import("./app/app.tsx").catch(() => undefined);
    import("./features/dashboard/dashboard-page.tsx").catch(() => undefined);
  }, NEXT_PAGES_AFTER_MS);
}
