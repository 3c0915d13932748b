import { sessionUserSchema, type login, type Role } from "@suncrew/contract/auth/auth.ts";
import type { ResponseOf } from "@suncrew/contract/http/route.ts";
import { z } from "zod";
import { isMessageLink, isWallboard, paths } from "../paths.ts";
import { TokenExpiredError } from "../api/errors.ts";
import { noteCookieLost, noteSessionEnd } from "./left-place.ts";
import { decodeToken, validClaims } from "./token.ts";

/** §9 Browser storage keys. */
const isScreen = typeof location === "object" && isWallboard({ pathname: location.pathname, search: "" });
/** The page of a message's link acts for whoever got the message: it neither uses a session nor ends one. */
const isLink = typeof location === "object" && isMessageLink(location.pathname);
/** A screen's session stands beside that of a person in the same browser. */
const OWNER = isScreen ? "wallboard." : isLink ? "link." : "";
const TOKEN_KEY = `${OWNER}token`;
const USER_KEY = `${OWNER}user`;
const GROUPS_KEY = "robotGroups";
/** The longest delay a browser's timer takes. */
const MAX_TIMER_MS = 2_147_483_647;

/** §3 Session user: the browser keeps its id as text. */
const storedUserSchema = sessionUserSchema.extend({
  id: z.string(),
  /** When a generated password expires; missing once the person has chosen one. */
  password_until: z.string().optional(),
});
export type StoredUser = z.output<typeof storedUserSchema>;

/** A signed-in user. The role is the token's, which the server signed. */
export interface Session {
  readonly token: string;
  readonly role: Role;
  readonly user: StoredUser;
  /** Missing in tokens of earlier versions. */
  readonly username?: string | undefined;
  /** Milliseconds since 1970. */
  readonly expiresAtMs: number;
}

const listeners = new Set<() => void>();
let current: Session | null = readStored();
/** The most recent one: what is on screen stays complete while the browser leaves the page. */
let last: Session | null = current;
/** The token of a sign-in that has not been used successfully in a call yet. */
let untried: string | null = null;
let expiryTimer: ReturnType<typeof setTimeout> | undefined;

/** The session in this browser, or null. A new object only when it changed. */
export function currentSession(): Session | null {
  return current;
}

/** The session, or the one that has just ended; null if nobody has been signed in on this page. */
export function lastSession(): Session | null {
  return last;
}

/** Calls `listener` after each change; returns the unsubscribe. */
export function onSessionChange(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** §4 Session: signing in stores the token under `token` and the user under `user`. */
export function startSession(answer: ResponseOf<typeof login>): void {
  const { password_until } = answer;
  const user: StoredUser = { ...answer.user, id: String(answer.user.id), ...(password_until && { password_until }) };
  untried = answer.token;
  localStorage.setItem(TOKEN_KEY, answer.token);
  localStorage.setItem(USER_KEY, JSON.stringify(user));
  refresh();
}

/** The server accepted the token: from now on a refusal means that the session has ended. */
export function noteTokenTaken(token: string): void {
  if (untried === token) untried = null;
}

/** The person has chosen a password: the expiry of the generated one no longer matters. */
export function noteOwnPassword(): void {
  const user = parseUser(localStorage.getItem(USER_KEY));
  if (user?.password_until === undefined) return;
  const { password_until: _over, ...own } = user;
  localStorage.setItem(USER_KEY, JSON.stringify(own));
  refresh();
}

/** Removes what this browser stores of a session, and notifies all listeners. */
export function clearSession(): void {
  for (const key of [TOKEN_KEY, USER_KEY, GROUPS_KEY]) localStorage.removeItem(key);
  refresh();
}

/**
 * §4 Session: the server refused `refusedToken`. Ends the session by a hard redirect to `/`, unless
 * somebody has signed in again since that request was sent.
 */
export function endSession(refusedToken: string): void {
  // A wallboard has nobody to sign in: it tries on, or says that its link was withdrawn.
  if (isScreen || localStorage.getItem(TOKEN_KEY) !== refusedToken) return;
  // The server accepts a browser's token only with the cookie that came with it.
  if (untried === refusedToken) noteCookieLost(storedUserId(), addressOf(location));
  else noteSessionEnd(storedUserId(), addressOf(location));
  clearSession();
  location.replace(paths.signIn());
}

/** Drops a stored token that is expired or cannot be decoded, at the requested URL. True if it did. */
export function dropExpiredSession(asked: string): boolean {
  const token = localStorage.getItem(TOKEN_KEY);
  if (token === null || validClaims(token, Date.now()) !== null) return false;
  // Nobody comes back to a wallboard after a sign-in, and its address may hold a link's secret.
  if (!isScreen) noteSessionEnd(storedUserId(), asked);
  clearSession();
  return true;
}

/**
 * The token to send with a request, or null if there is none.
 * @throws TokenExpiredError and ends the session if it is expired (§4 Session).
 */
export function tokenToSend(): string | null {
  const token = localStorage.getItem(TOKEN_KEY);
  if (token === null || validClaims(token, Date.now()) !== null) return token;
  endSession(token);
  throw new TokenExpiredError();
}

/** Watches the expiry and the other tabs; called once, when the page starts. */
export function watchSession(): void {
  scheduleExpiry();
  addEventListener("storage", (event) => {
    if (event.key !== null && event.key !== TOKEN_KEY && event.key !== USER_KEY) return;
    const before = current;
    refresh();
    // Another tab signed out or in as somebody else: nothing on this page is true any more.
    if (isScreen || before === null || before.token === localStorage.getItem(TOKEN_KEY)) return;
    noteSessionEnd(before.user.id, addressOf(location));
    location.replace(paths.signIn());
  });
  // Back to a page from the browser's cache: it must not show what belongs to an ended session.
  addEventListener("pageshow", (event) => {
    const shownFor = event.persisted ? last?.token : undefined;
    if (shownFor !== undefined && shownFor !== localStorage.getItem(TOKEN_KEY)) location.replace(paths.signIn());
  });
  // A timer pauses while the machine sleeps; check again when the page is shown.
  document.addEventListener("visibilitychange", expireIfDue);
}

function refresh(): void {
  current = readStored();
  last = current ?? last;
  scheduleExpiry();
  for (const listener of listeners) listener();
}

function scheduleExpiry(): void {
  clearTimeout(expiryTimer);
  if (current === null) return;
  expiryTimer = setTimeout(expireIfDue, Math.min(current.expiresAtMs - Date.now(), MAX_TIMER_MS));
}

function expireIfDue(): void {
  if (current === null) return;
  if (current.expiresAtMs <= Date.now()) endSession(current.token);
  else scheduleExpiry();
}

function storedUserId(): string | null {
  return parseUser(localStorage.getItem(USER_KEY))?.id ?? null;
}

/** The path and query. */
export function addressOf({ pathname, search, hash }: Pick<URL, "pathname" | "search" | "hash">): string {
  return `${pathname}${search}${hash}`;
}

function readStored(): Session | null {
  const token = localStorage.getItem(TOKEN_KEY);
  const claims = token === null ? null : decodeToken(token);
  const user = parseUser(localStorage.getItem(USER_KEY));
  if (token === null || claims === null || user === null) return null;
  const expiresAtMs = claims.exp * 1000;
  return expiresAtMs > Date.now() ? { token, role: claims.role, user, username: claims.username, expiresAtMs } : null;
}

function parseUser(text: string | null): StoredUser | null {
  if (text === null) return null;
  try {
    return storedUserSchema.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    return null;
  }
}
