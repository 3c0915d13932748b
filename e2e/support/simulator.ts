import { readFile } from "node:fs/promises";
import type { FaultInput, FaultKind } from "@suncrew/simulator/faults/fault.ts";
import type { RobotTruth } from "@suncrew/simulator/fleet/truth.ts";
import type { SensorFaultInput, SensorTruth } from "@suncrew/simulator/sensor/simulated-sensor.ts";

/** The control interface of the simulated robots: injects faults, and shows their true physical state. */
export class SimulatorControl {
  readonly #controlFile: string;

  /** `controlFile` is the file to which the simulator has written its URL. */
  constructor(controlFile: string) {
    this.#controlFile = controlFile;
  }

  robots(): Promise<RobotTruth[]> {
    return this.#call("GET", "/robots");
  }

  robot(serial: string): Promise<RobotTruth> {
    return this.#call("GET", `/robots/${serial}`);
  }

  /** Adds a fault, which lasts until `clear` or for its own duration. */
  fault(serial: string, fault: FaultInput): Promise<RobotTruth> {
    return this.#call("POST", `/robots/${serial}/faults`, fault);
  }

  /** Clears one kind of fault, or all of them. */
  clear(serial: string, kind?: FaultKind): Promise<RobotTruth> {
    return this.#call("DELETE", `/robots/${serial}/faults${kind === undefined ? "" : `/${kind}`}`);
  }

  /** What somebody at the robot could set, such as `{ battery: 40 }`. */
  condition(serial: string, condition: Readonly<Record<string, unknown>>): Promise<RobotTruth> {
    return this.#call("POST", `/robots/${serial}/condition`, condition);
  }

  /** The same, but its memory is lost: it counts from zero. */
  loseMemory(serial: string): Promise<RobotTruth> {
    return this.#call("POST", `/robots/${serial}/memory-loss`);
  }

  powerCycle(serial: string): Promise<RobotTruth> {
    return this.#call("POST", `/robots/${serial}/power-cycle`);
  }

  /** Something is wrong with the weather at this sensor, or with the sensor, until `calmWeather`. */
  weather(serial: string, fault: SensorFaultInput): Promise<SensorTruth> {
    return this.#call("POST", `/sensors/${serial}/faults`, fault);
  }

  calmWeather(serial: string): Promise<SensorTruth> {
    return this.#call("DELETE", `/sensors/${serial}/faults`);
  }

  async #call<T>(method: string, path: string, body?: unknown): Promise<T> {
    const address = (await readFile(this.#controlFile, "utf8")).trim();
    const response = await fetch(address + path, {
      method,
      ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { "content-type": "application/json" } }),
    });
    const answer: unknown = await response.json();
    if (!response.ok)
      throw new Error(`The simulator answered ${response.status} to ${path}: ${JSON.stringify(answer)}`);
    // The simulator of the same checkout sends what this interface describes.
    return answer as T;
  }
}
