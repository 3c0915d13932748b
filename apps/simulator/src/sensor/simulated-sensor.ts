import { PROTOCOL_VERSION, type WeatherMessage } from "@suncrew/contract/devices/messages.ts";
import { leaves, topicOf } from "@suncrew/contract/devices/topics.ts";
import mqtt, { type MqttClient } from "mqtt";
import { z } from "zod";
import type { Cancel, FleetClock } from "../fleet/clock.ts";
import type { Device } from "../fleet/link.ts";

const duration = { forSeconds: z.number().positive().max(86_400).optional() };

/** What can go wrong with the weather, or with what measures it. */
export const sensorFaultSchema = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("gusts"), kmh: z.number().min(0).max(500).default(80), ...duration }),
  z.strictObject({ kind: z.literal("rain"), mmPerHour: z.number().min(0).max(2_000).default(12), ...duration }),
  /** It measures, but publishes nothing. */
  z.strictObject({ kind: z.literal("silent"), ...duration }),
  /** Without power. */
  z.strictObject({ kind: z.literal("away"), ...duration }),
]);
export type SensorFault = z.output<typeof sensorFaultSchema>;
export type SensorFaultInput = z.input<typeof sensorFaultSchema>;
export type SensorFaultKind = SensorFault["kind"];
export const sensorFaultKinds: readonly SensorFaultKind[] = sensorFaultSchema.options.map(
  (option) => option.shape.kind.value,
);

/** What the weather at a sensor truly is, whatever it published. */
export interface SensorTruth {
  readonly serial: string;
  readonly connected: boolean;
  readonly session: number;
  readonly seq: number;
  readonly gust_kmh: number;
  readonly rain_mm_h: number;
  readonly temperature_c: number;
  readonly faults: readonly SensorFault[];
}

export interface SensorDependencies {
  readonly mqttUrl: string;
  readonly protocolVersion: 4 | 5;
  readonly clock: FleetClock;
}

const PUBLISH_MS = 10_000;
const RETRY_MS = 2_000;
const CONNECT_TIMEOUT_MS = 10_000;
const CALM = { gust_kmh: 14, rain_mm_h: 0, temperature_c: 31 };

/** The weather sensor of a site: publishes readings every ten seconds, and at once when the weather changes. */
export class SimulatedSensor {
  readonly serial: string;
  readonly #device: Device;
  readonly #deps: SensorDependencies;
  readonly #faults = new Map<SensorFaultKind, SensorFault>();
  readonly #ends = new Map<SensorFaultKind, Cancel>();
  #client: MqttClient | null = null;
  #running = false;
  #session = 0;
  #seq = 0;
  #cancelReadings: Cancel = () => {};
  #cancelRetry: Cancel = () => {};

  constructor(device: Device, deps: SensorDependencies) {
    this.serial = device.serial;
    this.#device = device;
    this.#deps = deps;
  }

  truth(): SensorTruth {
    const gusts = this.#faults.get("gusts");
    const rain = this.#faults.get("rain");
    return {
      serial: this.serial,
      connected: this.#client?.connected === true,
      session: this.#session,
      seq: this.#seq,
      gust_kmh: gusts?.kind === "gusts" ? gusts.kmh : CALM.gust_kmh,
      rain_mm_h: rain?.kind === "rain" ? rain.mmPerHour : CALM.rain_mm_h,
      temperature_c: CALM.temperature_c,
      faults: [...this.#faults.values()],
    };
  }

  start(): void {
    this.#running = true;
    this.#cancelReadings = this.#deps.clock.every(PUBLISH_MS, () => this.#publish());
    this.#connect();
  }

  async stop(): Promise<void> {
    this.#running = false;
    this.#cancelReadings();
    this.#cancelRetry();
    for (const cancel of this.#ends.values()) cancel();
    const client = this.#client;
    this.#client = null;
    await client?.endAsync(true).catch(() => {});
  }

  /** Makes something go wrong; replaces a fault of the same kind. */
  inject(input: SensorFaultInput): void {
    const fault = sensorFaultSchema.parse(input);
    this.#end(fault.kind);
    this.#faults.set(fault.kind, fault);
    const { forSeconds } = fault;
    if (forSeconds !== undefined)
      this.#ends.set(
        fault.kind,
        this.#deps.clock.after(forSeconds * 1_000, () => this.clear(fault.kind)),
      );
    this.#changed();
  }

  /** Ends one fault, or all. */
  clear(kind?: SensorFaultKind): void {
    for (const one of kind === undefined ? sensorFaultKinds : [kind]) this.#end(one);
    this.#changed();
  }

  #end(kind: SensorFaultKind): void {
    this.#ends.get(kind)?.();
    this.#ends.delete(kind);
    this.#faults.delete(kind);
  }

  #changed(): void {
    if (this.#faults.has("away")) this.#client?.stream.destroy();
    else if (this.#client === null) this.#connect();
    this.#publish();
  }

  /** In a session of its own, above all earlier ones, also of a process that was restarted. */
  #connect(): void {
    this.#cancelRetry();
    if (!this.#running || this.#faults.has("away") || this.#client !== null) return;
    this.#session = Math.max(this.#session + 1, Math.floor(this.#deps.clock.now().getTime() / 1_000));
    this.#seq = 0;
    const client = mqtt.connect(this.#deps.mqttUrl, {
      clientId: this.serial,
      username: this.serial,
      password: this.#device.secret,
      clean: true,
      protocolVersion: this.#deps.protocolVersion,
      connectTimeout: CONNECT_TIMEOUT_MS,
      reconnectPeriod: 0,
    });
    this.#client = client;
    client.on("connect", () => this.#publish());
    // The end of the connection follows.
    client.on("error", () => {});
    client.on("close", () => {
      client.end(true);
      if (this.#client !== client) return;
      this.#client = null;
      if (this.#running) this.#cancelRetry = this.#deps.clock.after(RETRY_MS, () => this.#connect());
    });
  }

  /** What cannot be sent now is dropped: it would look new later. */
  #publish(): void {
    const client = this.#client;
    if (client?.connected !== true || this.#faults.has("silent")) return;
    this.#seq += 1;
    const { session, seq, gust_kmh, rain_mm_h, temperature_c } = this.truth();
    const ts = this.#deps.clock.now().toISOString();
    const reading: WeatherMessage = { v: PROTOCOL_VERSION, seq, session, ts, gust_kmh, rain_mm_h, temperature_c };
    const { qos, retained: retain } = leaves.weather;
    client.publish(topicOf(this.serial, "weather"), JSON.stringify(reading), { qos, retain }, () => {});
  }
}
