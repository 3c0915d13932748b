import { readdirSync, statSync } from "node:fs";
import { rename, writeFile } from "node:fs/promises";

/** Where Debian puts the library that sits between programs and their machine's clock. */
function library(): string {
  const found = readdirSync("/usr/lib")
    .map((folder) => `/usr/lib/${folder}/faketime/libfaketimeMT.so.1`)
    .find((path) => statSync(path, { throwIfNoEntry: false })?.isFile());
  if (found === undefined) throw new Error("There is no libfaketime: install Debian's package libfaketime.");
  return found;
}

/**
 * The clock of the programs that are started with its environment. It can be stepped while they run, as by a person or
 * a faulty time service; the monotonic clock, by which they count, continues unchanged.
 */
export class SteppedClock {
  readonly environment: Readonly<Record<string, string>>;
  readonly #file: string;

  private constructor(file: string) {
    this.#file = file;
    this.environment = {
      LD_PRELOAD: library(),
      FAKETIME_TIMESTAMP_FILE: file,
      FAKETIME_CACHE_DURATION: "1",
      FAKETIME_DONT_FAKE_MONOTONIC: "1",
      DONT_FAKE_MONOTONIC: "1",
    };
  }

  /** One that is right, stored in that file. */
  static async open(file: string): Promise<SteppedClock> {
    const clock = new SteppedClock(file);
    await clock.step(0);
    return clock;
  }

  /** Sets it this many seconds ahead of the true time; its programs see that within a second. */
  async step(seconds: number): Promise<void> {
    // Complete at every moment, for any reader.
    await writeFile(`${this.#file}.new`, `${seconds < 0 ? "" : "+"}${seconds}\n`, { mode: 0o644 });
    await rename(`${this.#file}.new`, this.#file);
  }
}
