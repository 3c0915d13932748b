/** Who asks: decides which sites exist for a query. Made from the session row on every request. */
export interface Viewer {
  readonly userId: number;
  readonly name: string;
  readonly email: string;
  readonly role: "SUPER_ADMIN" | "PARTNER";
  /** Null for a Super Admin. */
  readonly partnerId: number | null;
  readonly sessionId: string;
}
