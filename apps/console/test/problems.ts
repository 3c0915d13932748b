const found: string[] = [];

/** Something that a page must not do; it fails the test at its end. */
export function noteProblem(problem: string): void {
  found.push(problem);
}

/** From now on errors on the console and calls that nobody answers are problems. */
export function watchProblems(): void {
  const log = console;
  const error = log.error.bind(log);
  log.error = (...words: readonly unknown[]) => {
    noteProblem(`Console: ${words.map(String).join(" ")}`);
    error(...words);
  };
}

/** What was found since it was last asked for. */
export function takeProblems(): string[] {
  return found.splice(0);
}
