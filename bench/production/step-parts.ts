import type { Options } from "./options.ts";
import type { Account } from "./private-part.ts";

/** Where a step puts its files, whom its programs run as, and what has to be ended after it, last first. */
export interface StepParts {
  readonly options: Options;
  readonly folder: string;
  readonly account: Account;
  readonly stops: (() => Promise<unknown>)[];
}
