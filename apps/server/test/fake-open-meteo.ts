import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export type Answering = (request: IncomingMessage, response: ServerResponse) => void;

/** Open-Meteo's variables and units, as far as this repository uses them. */
const currentUnits: Readonly<Record<string, string>> = {
  temperature_2m: "°C",
  relative_humidity_2m: "%",
  is_day: "",
  weather_code: "wmo code",
  pressure_msl: "hPa",
  wind_speed_10m: "km/h",
};
const dailyUnits: Readonly<Record<string, string>> = {
  weather_code: "wmo code",
  temperature_2m_max: "°C",
  temperature_2m_min: "°C",
  precipitation_probability_max: "%",
  wind_speed_10m_max: "km/h",
};
const hourlyUnits: Readonly<Record<string, string>> = {
  pm2_5: "μg/m³",
  pm10: "μg/m³",
  precipitation: "mm",
  wind_gusts_10m: "km/h",
  temperature_2m: "°C",
  global_tilted_irradiance: "W/m²",
};
const now: Readonly<Record<string, number>> = {
  temperature_2m: 38.4,
  relative_humidity_2m: 31,
  is_day: 1,
  weather_code: 2,
  pressure_msl: 1001.3,
  wind_speed_10m: 17.6,
};
const week: Readonly<Record<string, readonly number[]>> = {
  weather_code: [2, 3, 61, 63, 95, 1, 0],
  temperature_2m_max: [41.2, 40.8, 37.1, 34.5, 33.9, 36.2, 38.8],
  temperature_2m_min: [29.7, 29.9, 28.1, 26.4, 25.8, 26.1, 27.3],
  precipitation_probability_max: [3, 18, 62, 88, 94, 27, 0],
  wind_speed_10m_max: [24.1, 26.6, 31, 35.3, 41.8, 22.2, 19.5],
};

/** Values of a day, those of hour h at index h; with a null, and with a negative as models have them at night. */
const dayHours: Readonly<Record<string, (hour: number) => number | null>> = {
  pm2_5: (hour) => 40 + hour,
  pm10: (hour) => (hour === 3 ? null : 120 + hour),
  precipitation: (hour) => (hour === 5 ? 1.4 : 0),
  wind_gusts_10m: (hour) => 20 + hour,
  temperature_2m: (hour) => 25 + hour / 2,
  global_tilted_irradiance: (hour) => (hour < 2 ? -0.3 : hour * 20),
};

/** A local server that answers like Open-Meteo's calls, or as a test says. */
export class FakeOpenMeteo {
  readonly #server: Server;
  /** The requests so far. */
  readonly requests: URL[] = [];
  /** Chance of precipitation on each day, in percent. */
  rainPercents = week["precipitation_probability_max"] ?? [];
  answering: Answering = (request, response) => this.answerValid(request, response);
  #waiting: (() => void)[] = [];

  private constructor(server: Server) {
    this.#server = server;
  }

  static async open(): Promise<FakeOpenMeteo> {
    const server = createServer();
    const local = new FakeOpenMeteo(server);
    server.on("request", (request: IncomingMessage, response: ServerResponse) => {
      local.requests.push(new URL(request.url ?? "/", local.url));
      local.answering(request, response);
      for (const tell of local.#waiting.splice(0)) tell();
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return local;
  }

  get url(): string {
    const { port } = this.#server.address() as AddressInfo;
    return `http://127.0.0.1:${port}/v1/forecast`;
  }

  /** Resolves after `count` requests in total. */
  async askedTimes(count: number): Promise<void> {
    while (this.requests.length < count) await new Promise<void>((tell) => void this.#waiting.push(tell));
  }

  /** Resets everything to the initial state. */
  reset(): void {
    this.requests.length = 0;
    this.rainPercents = week["precipitation_probability_max"] ?? [];
    this.answering = (request, response) => this.answerValid(request, response);
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }

  /** A complete answer like the real one; 400 for what the real one would refuse. */
  answerValid(_request: IncomingMessage, response: ServerResponse): void {
    const answer = this.validAnswer(this.requests.at(-1) ?? new URL(this.url));
    sendJson(response, "error" in answer ? 400 : 200, answer);
  }

  validAnswer(url: URL): Record<string, unknown> {
    const query = (name: string) => url.searchParams.get(name) ?? "";
    const current = query("current").split(",");
    const daily = query("daily").split(",");
    if (url.searchParams.has("hourly")) return hourlyAnswer(url);
    const unknown = [
      ...current.filter((name) => !(name in currentUnits)),
      ...daily.filter((name) => !(name in dailyUnits)),
    ];
    if (unknown.length > 0)
      return { error: true, reason: `Cannot initialize from invalid String value ${unknown[0]}.` };
    const days = daysBetween(query("start_date"), query("end_date"));
    const pick = (names: readonly string[], from: Readonly<Record<string, unknown>>) =>
      Object.fromEntries(names.map((name) => [name, from[name]]));
    return {
      latitude: Number(query("latitude")),
      longitude: Number(query("longitude")),
      generationtime_ms: 0.19,
      utc_offset_seconds: 19_800,
      timezone: query("timezone"),
      timezone_abbreviation: "GMT+5:30",
      elevation: 214,
      current_units: { time: "iso8601", interval: "seconds", ...pick(current, currentUnits) },
      current: { time: `${days[0]}T12:00`, interval: 900, ...pick(current, now) },
      daily_units: { time: "iso8601", ...pick(daily, dailyUnits) },
      daily: { time: days, ...pick(daily, { ...week, precipitation_probability_max: this.rainPercents }) },
    };
  }
}

function hourlyAnswer({ searchParams }: URL): Record<string, unknown> {
  const query = (name: string) => searchParams.get(name) ?? "";
  const names = query("hourly").split(",");
  const unknown = names.find((name) => !(name in hourlyUnits));
  if (unknown !== undefined) return { error: true, reason: `Cannot initialize from invalid String value ${unknown}.` };
  const hours = daysBetween(query("start_date"), query("end_date")).flatMap((day) =>
    Array.from({ length: 24 }, (_, hour) => ({ time: `${day}T${String(hour).padStart(2, "0")}:00`, hour })),
  );
  const values = names.map((name) => [name, hours.map(({ hour }) => dayHours[name]?.(hour) ?? null)]);
  return {
    latitude: Number(query("latitude")),
    longitude: Number(query("longitude")),
    generationtime_ms: 0.3,
    utc_offset_seconds: 0,
    timezone: "UTC",
    timezone_abbreviation: "UTC",
    elevation: 214,
    hourly_units: { time: "iso8601", ...Object.fromEntries(names.map((name) => [name, hourlyUnits[name]])) },
    hourly: { time: hours.map(({ time }) => time), ...Object.fromEntries(values) },
  };
}

export function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json; charset=utf-8" }).end(JSON.stringify(body));
}

function daysBetween(first: string, last: string): string[] {
  const days: string[] = [];
  for (let at = Date.parse(first); at <= Date.parse(last); at += 86_400_000) {
    days.push(new Date(at).toISOString().slice(0, 10));
  }
  return days;
}
