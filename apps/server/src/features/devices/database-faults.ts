/** SQLSTATE classes that blame the data: wrong values, broken constraints, too large. */
const dataClasses = new Set(["22", "23", "54"]);
const LOST_RACE_CLASS = "40";

function classOf(error: unknown): string | null {
  if (!(error instanceof Error) || !("code" in error) || typeof error.code !== "string") return null;
  return error.code.length === 5 ? error.code.slice(0, 2) : null;
}

/** The transaction lost against another one and may simply be tried again. */
export function isLostRace(error: unknown): boolean {
  return classOf(error) === LOST_RACE_CLASS;
}

/** The database has no form for this: the same data will be refused again. */
export function isRefusedData(error: unknown): boolean {
  return dataClasses.has(classOf(error) ?? "");
}
