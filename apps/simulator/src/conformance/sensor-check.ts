import { CLOCK_LIMIT_MS, type Finding, FIRST_SECOND, isPlausible } from "./conformance-check.ts";
import type { Received, RobotClient } from "./robot-client.ts";

export interface SensorCheckOptions {
  /** How long it listens, in milliseconds. */
  readonly listenMs: number;
  /** How long a sensor whose power is turned off and on may take, in milliseconds. */
  readonly personMs: number;
  /** Asks a person to turn the sensor's power off and on; null if nobody is there. */
  readonly promptPerson: ((request: string) => void) | null;
  readonly say: (line: string) => void;
}

type Reading = Extract<Received, { leaf: "weather" }>;

const INTERVAL_MS = 30_000;
/** What a message may take longer than another. */
const DELAY_MS = 2_000;

/** Checks one weather sensor against the device protocol by listening; sends it nothing. */
export class SensorCheck {
  readonly findings: Finding[] = [];
  readonly #sensor: RobotClient;
  readonly #options: SensorCheckOptions;

  constructor(sensor: RobotClient, options: SensorCheckOptions) {
    this.#sensor = sensor;
    this.#options = options;
  }

  /** True if everything that was tried holds. */
  async run(): Promise<boolean> {
    const { clock } = this.#sensor;
    const beganMs = clock.now().getTime();
    await new Promise<void>((resolve) => void clock.after(this.#options.listenMs, resolve));
    const readings = this.#readings();
    this.#regular(readings, beganMs, clock.now().getTime());
    this.#ordered(readings);
    this.#timely(readings);
    await this.#person();
    const { received, unreadable } = this.#sensor;
    this.#expect(10, "every reading can be read", unreadable.length === 0, () =>
      [...new Set(unreadable)].slice(0, 3).join("; "),
    );
    const others = [...new Set(received.map(({ leaf }) => leaf))].filter((leaf) => leaf !== "weather");
    this.#expect(9, "it publishes weather and nothing else", others.length === 0, () => others.join(", "));
    const isRetained = received.some(({ leaf, retained }) => leaf === "weather" && retained);
    this.#expect(7, "no reading is retained", !isRetained, () => "the broker has kept one");
    return this.findings.every(({ result }) => result !== "does not hold");
  }

  #readings(from = 0): Reading[] {
    const live = this.#sensor.received.slice(from).filter(({ retained }) => !retained);
    return live.filter((one): one is Reading => one.leaf === "weather");
  }

  #regular(readings: readonly Reading[], beganMs: number, endedMs: number): void {
    const times = [beganMs, ...readings.map(({ atMs }) => atMs), endedMs];
    const gaps = times.slice(1).map((atMs, index) => atMs - (times[index] ?? atMs));
    const longest = Math.max(...gaps);
    const holds = readings.length > 0 && longest <= INTERVAL_MS + DELAY_MS;
    this.#expect(7, "it publishes a reading at least every 30 s", holds, () =>
      readings.length === 0 ? "none arrived" : `${Math.round(longest / 1_000)} s without one`,
    );
  }

  #ordered(readings: readonly Reading[]): void {
    const falls = readings.some(({ message: { session, seq } }, index) => {
      const before = readings[index - 1]?.message;
      return before !== undefined && (session < before.session || (session === before.session && seq <= before.seq));
    });
    this.#expect(7, "(session, seq) rises with every reading", !falls, () => "a later reading has a lower one");
  }

  #timely(readings: readonly Reading[]): void {
    const skews = readings.map(({ atMs, message }) => Math.abs(new Date(message.ts).getTime() - atMs));
    const worst = Math.max(0, ...skews);
    this.#expect(12, "its clock is right, and no reading is old", worst <= CLOCK_LIMIT_MS, () => {
      return `ts is ${Math.round(worst / 1_000)} s off`;
    });
    const [session = FIRST_SECOND] = readings.map(({ message }) => message.session);
    const isSeconds = isPlausible(session, this.#sensor.clock.now().getTime());
    this.#expect(14, "its session began at Unix seconds", isSeconds, () => String(session));
  }

  async #person(): Promise<void> {
    const requirement = "it raises its session before every connect, also after a power cut";
    const { promptPerson, personMs } = this.#options;
    const before = this.#readings().at(-1)?.message.session;
    if (promptPerson === null || before === undefined) {
      this.#record({ rule: 7, requirement, result: "not tried", detail: "needs --person, and a sensor that reports" });
      return;
    }
    promptPerson("Turn the sensor's power off and on again.");
    const next = await this.#sensor.next("weather", ({ session }) => session !== before, personMs);
    const session = next?.message.session ?? null;
    this.#expect(7, requirement, session !== null && session > before, () =>
      session === null ? "no reading of another session" : `${session} after ${before}`,
    );
  }

  #record(finding: Finding): void {
    this.findings.push(finding);
    const { rule, requirement, result, detail } = finding;
    const word = result === "does not hold" ? "DOES NOT HOLD" : result;
    this.#options.say(
      `${word.padEnd(13)}  rule ${String(rule).padEnd(2)}  ${requirement}${detail === "" ? "" : ` (${detail})`}`,
    );
  }

  #expect(rule: number, requirement: string, holds: boolean, observed: () => string): void {
    this.#record({ rule, requirement, result: holds ? "holds" : "does not hold", detail: holds ? "" : observed() });
  }
}
