import { errorText } from "../platform/errors.ts";

/** What one look at a part of a configuration found. */
export interface Finding {
  /** The part, such as database. */
  readonly part: string;
  /** Servers run with a warning, but worse than they could; not, or not safely, with a problem. */
  readonly level: "ok" | "warning" | "problem";
  readonly says: string;
  /** What to do about it; null if it is ok. */
  readonly todo: string | null;
}

export type Found = Omit<Finding, "part">;

export const ok = (says: string): Found => ({ level: "ok", says, todo: null });
export const warning = (says: string, todo: string): Found => ({ level: "warning", says, todo });
export const problem = (says: string, todo: string): Found => ({ level: "problem", says, todo });

/** Longer than any part that works needs, in milliseconds. */
const LIMIT_MS = 15_000;

/** Runs a check; one that throws or hangs is a problem of its own, in words without secrets. */
export async function check(
  part: string,
  work: () => Promise<readonly Found[]>,
  limitMs = LIMIT_MS,
): Promise<readonly Finding[]> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<readonly Found[]>((resolve) => {
    const found = problem(
      `It did not answer within ${limitMs / 1_000} s.`,
      "Find out what hangs: the network, or the service itself.",
    );
    timer = setTimeout(() => resolve([found]), limitMs);
  });
  const failed = (error: unknown): readonly Found[] => [
    problem(
      `It could not be checked: ${error instanceof Error ? errorText(error) : String(error)}.`,
      "Correct what the message says, then check again.",
    ),
  ];
  const found = await Promise.race([work().catch(failed), late]);
  clearTimeout(timer);
  return found.map((each) => ({ part, ...each }));
}
