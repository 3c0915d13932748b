import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { z } from "zod";
import { type FaultKind, faultKinds, faultSchema, issueText } from "./faults/fault.ts";
import type { Fleet } from "./fleet/fleet.ts";
import type { SimulatedRobot } from "./fleet/simulated-robot.ts";
import { conditionSchema } from "./robot/memory.ts";
import { sensorFaultKinds, sensorFaultSchema } from "./sensor/simulated-sensor.ts";

export interface ControlServer {
  /** `http://127.0.0.1:<port>`. */
  readonly address: string;
  close(): Promise<void>;
}

/** An answer that is not 200. */
class Refusal extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

const MAX_BODY_CHARACTERS = 65_536;

/**
 * Lets a test or a person on this machine see the robots' true state and inject faults. It listens on loopback only and
 * refuses requests from web pages. Port 0 uses any free one. Rejects if the port is taken.
 */
export async function openControlServer(fleet: Fleet, port: number): Promise<ControlServer> {
  const server = createServer((request, response) => void handle(fleet, request, response));
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", resolve);
  });
  const bound = server.address();
  const boundPort = bound !== null && typeof bound === "object" ? bound.port : port;
  return {
    address: `http://127.0.0.1:${boundPort}`,
    close() {
      return new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
    },
  };
}

async function handle(fleet: Fleet, request: IncomingMessage, response: ServerResponse): Promise<void> {
  try {
    send(response, 200, await route(fleet, request));
  } catch (error) {
    if (error instanceof Refusal) send(response, error.status, { message: error.message });
    else send(response, 500, { message: "The simulator failed to do this." });
  }
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

async function route(fleet: Fleet, request: IncomingMessage): Promise<unknown> {
  refusePages(request);
  const path = new URL(request.url ?? "/", "http://127.0.0.1").pathname;
  const [root, serial, thing, kind, ...rest] = path.split("/").slice(1);
  if (!["robots", "sensors"].includes(root ?? "") || rest.length > 0)
    throw new Refusal(404, "There is nothing at this address.");
  const action = [request.method, thing, kind === undefined ? "" : "kind"].filter(Boolean).join(" ");
  if (root === "sensors") return await sensorRoute(fleet, serial, action, kind ?? "", request);
  if (serial === undefined && action === "GET") return fleet.serials.map((each) => fleet.robot(each).truth());
  const robot = fleet.find(serial ?? "");
  if (robot === undefined) throw new Refusal(404, `There is no robot ${serial ?? ""}.`);
  switch (action) {
    case "GET":
      break;
    case "POST faults":
      robot.inject(parsed(faultSchema, await readBody(request)));
      break;
    case "DELETE faults":
      robot.clear();
      break;
    case "DELETE faults kind":
      clearKind(robot, kind ?? "");
      break;
    case "POST condition":
      robot.setByHand(parsed(conditionSchema, await readBody(request)));
      break;
    case "POST memory-loss":
      robot.loseMemory();
      break;
    case "POST power-cycle":
      robot.powerCycle();
      break;
    default:
      throw new Refusal(404, "There is nothing at this address.");
  }
  return robot.truth();
}

async function sensorRoute(
  fleet: Fleet,
  serial: string | undefined,
  action: string,
  word: string,
  request: IncomingMessage,
): Promise<unknown> {
  if (serial === undefined && action === "GET") return fleet.sensors.map((each) => each.truth());
  const sensor = fleet.sensors.find((each) => each.serial === serial);
  if (sensor === undefined) throw new Refusal(404, `There is no weather sensor ${serial ?? ""}.`);
  if (action === "POST faults") sensor.inject(parsed(sensorFaultSchema, await readBody(request)));
  else if (action === "DELETE faults") sensor.clear();
  else if (action === "DELETE faults kind") {
    const kind = sensorFaultKinds.find((known) => known === word);
    if (kind === undefined)
      throw new Refusal(400, `"${word}" is not a fault; the faults are ${sensorFaultKinds.join(", ")}.`);
    sensor.clear(kind);
  } else if (action !== "GET") throw new Refusal(404, "There is nothing at this address.");
  return sensor.truth();
}

/** A web page could reach this port: its requests carry an origin, or another host's name. */
function refusePages(request: IncomingMessage): void {
  const host = (request.headers.host ?? "").replace(/:\d+$/, "");
  if (request.headers.origin !== undefined || !["127.0.0.1", "localhost"].includes(host)) {
    throw new Refusal(403, "This address serves programs on this machine only.");
  }
}

function clearKind(robot: SimulatedRobot, word: string): void {
  const kind: FaultKind | undefined = faultKinds.find((known) => known === word);
  if (kind === undefined) throw new Refusal(400, `"${word}" is not a fault; the faults are ${faultKinds.join(", ")}.`);
  robot.clear(kind);
}

function parsed<T>(schema: z.ZodType<T>, body: unknown): T {
  const result = schema.safeParse(body);
  if (!result.success) throw new Refusal(400, issueText(result.error));
  return result.data;
}

async function readBody(request: IncomingMessage): Promise<unknown> {
  request.setEncoding("utf8");
  let body = "";
  for await (const chunk of request) {
    body += String(chunk);
    if (body.length > MAX_BODY_CHARACTERS) throw new Refusal(413, "The body is too large.");
  }
  try {
    return JSON.parse(body);
  } catch {
    throw new Refusal(400, "The body is not JSON.");
  }
}
