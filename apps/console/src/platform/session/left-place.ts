import { z } from "zod";

/** Only in this tab, and gone with it. */
const KEY = "leftPlace";

const leftPlaceSchema = z.object({
  /** The path and query; whether somebody may open it is decided after the sign-in. */
  address: z.string(),
  /** Whose session ended there; null if nobody was signed in. */
  userId: z.string().nullable(),
  /** A session has ended, by itself or by the server, and nobody was told yet. */
  hasEnded: z.boolean(),
  /** It ended because the browser did not keep the sign-in's cookie. */
  lostCookie: z.boolean().optional(),
});
/** Where somebody was, or wanted to go, when the sign-in page intervened. */
export type LeftPlace = z.output<typeof leftPlaceSchema>;

export function leftPlace(): LeftPlace | null {
  try {
    return leftPlaceSchema.safeParse(JSON.parse(sessionStorage.getItem(KEY) ?? "null")).data ?? null;
  } catch {
    return null;
  }
}

/** The session of this user ended at this URL. */
export function noteSessionEnd(userId: string | null, address: string): void {
  keep({ address, userId, hasEnded: true });
}

/** The same, at the first call after the sign-in: the browser does not send the cookie that the token needs. */
export function noteCookieLost(userId: string | null, address: string): void {
  keep({ address, userId, hasEnded: true, lostCookie: true });
}

/** Nobody is signed in, and this URL requires it. What is known about a session that ended there is kept. */
export function rememberRequestedPlace(address: string): void {
  const before = leftPlace();
  if (before?.address !== address) keep({ ...before, address, userId: null, hasEnded: before?.hasEnded ?? false });
}

export function forgetLeftPlace(): void {
  store(null);
}

function keep(place: LeftPlace): void {
  store(JSON.stringify(place));
}

/** A storage that is full or blocked costs only the remembered place, never the end of a session. */
function store(text: string | null): void {
  try {
    if (text === null) sessionStorage.removeItem(KEY);
    else sessionStorage.setItem(KEY, text);
  } catch {
    // Then the sign-in leads to the dashboard, as it does without a place.
  }
}
