/** SQLSTATE classes that blame the data: wrong values, broken constraints, too large. */
const dataClasses = new Set(["22", "23", "54"]);
const LOST_RACE_CLASS = "40";

function codeOf(error: unknown): string | null {
  if (!(error instanceof Error) || !("code" in error) || typeof error.code !== "string") return null;
  return error.code;
}

/** The transaction lost against another one and may simply be tried again. */
export function isLostRace(error: unknown): boolean {
  const code = codeOf(error);
  return code !== null && code.length === 5 && code.startsWith(LOST_RACE_CLASS);
}

/** The database could not be reached or could not write just now; the same data may well be stored later. */
export function isDatabaseAway(error: unknown): boolean {
  const code = codeOf(error);
  if (code !== null) return code.length !== 5 || !dataClasses.has(code.slice(0, 2));
  // The driver gives these no code.
  return error instanceof Error && /connection|connect|timeout|client was closed/i.test(error.message);
}
