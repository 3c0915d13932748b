/** An error's message, or those of an AggregateError's parts. Never empty. */
export function errorText(error: Error): string {
  if (error.message !== "") return error.message;
  const inner: unknown[] = error instanceof AggregateError ? error.errors : [];
  const messages = inner.flatMap((each) => (each instanceof Error && each.message !== "" ? [each.message] : []));
  return messages.join("; ") || codeOf(error) || error.name;
}

/** The code of an error of Node or PostgreSQL; empty if it has none. */
export function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
}

export function hasCode(error: unknown, ...codes: string[]): boolean {
  return codes.includes(codeOf(error));
}

/** A reason for not starting that the operator can act on: printed as it is, without a stack. */
export class StartError extends Error {
  /** Exit code of the process: 2 for wrong settings, 1 for everything else. */
  readonly exitCode: number;

  constructor(message: string, exitCode = 1) {
    super(message);
    this.name = "StartError";
    this.exitCode = exitCode;
  }
}
