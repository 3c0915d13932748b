const found: string[] = [];

/** The browser reports this when something measured is drawn a frame later, as on a busy machine: nothing is wrong. */
const HARMLESS = "ResizeObserver loop completed with undelivered notifications";

/** Something that a page must not do; it fails the test at its end. */
export function noteProblem(problem: string): void {
  found.push(problem);
}

/** From now on errors on the console and unanswered calls are problems. */
export function watchProblems(): void {
  const log = console;
  const error = log.error.bind(log);
  log.error = (...words: readonly unknown[]) => {
    const told = words.map(String).join(" ");
    if (!told.includes(HARMLESS)) noteProblem(`Console: ${told}`);
    error(...words);
  };
}

/** What was found since the last call. */
export function takeProblems(): string[] {
  return found.splice(0);
}
