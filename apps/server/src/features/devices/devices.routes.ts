import {
  brokerAclPath,
  type BrokerAnswer,
  brokerAuthPath,
  brokerSignInSchema,
  brokerTopicSchema,
} from "@suncrew/contract/devices/broker-questions.ts";
import {
  allocateDevices,
  deviceList,
  provisionDevices,
  retireDevice,
  rotateDeviceSecret,
} from "@suncrew/contract/devices/devices.ts";
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Dependencies, Service } from "../../platform/dependencies.ts";
import { notSignedIn } from "../../platform/http/http-error.ts";
import { register } from "../../platform/http/register.ts";
import { isSameSecret } from "../../platform/secrets.ts";
import type { Commands } from "../commands/public.ts";
import { deviceAccess } from "./device-secrets.ts";
import { DeviceAccounts } from "./devices.service.ts";
import { readDevices } from "./devices.queries.ts";

export function devicesRoutes(app: FastifyInstance, deps: Dependencies, commands: Commands): Service {
  const accounts = new DeviceAccounts(deps, commands);

  register(app, deviceList, ({ viewer }) => readDevices(viewer, deps.db));

  register(app, provisionDevices, ({ viewer, body }) => accounts.provision(viewer, body));

  register(app, allocateDevices, ({ viewer, body }) => accounts.allocate(viewer, body));

  register(app, rotateDeviceSecret, ({ viewer, params }) => accounts.rotate(viewer, params.serial));

  register(app, retireDevice, ({ viewer, params }) => accounts.retire(viewer, params.serial));

  brokerRoutes(app, deps);
  return accounts.retries;
}

/**
 * What a broker such as EMQX asks over HTTP (protocol rule 9): may this device sign in, publish, subscribe? These calls
 * are not the console's, so they are outside `/api`, and need the token. Names that are no device's are left to the
 * broker's other sources, which know the server's own account.
 */
function brokerRoutes(app: FastifyInstance, { db, settings }: Dependencies): void {
  const token = settings.brokerAuthToken ?? null;
  if (token === null) return;
  const access = deviceAccess(db);
  const onRequest = async ({ headers }: FastifyRequest): Promise<void> => {
    if (isSameSecret(headers.authorization ?? "", `Bearer ${token}`)) return;
    throw notSignedIn("This call is the broker's.", "SERVICE_TOKEN_REQUIRED");
  };

  const signIn = async (request: FastifyRequest): Promise<BrokerAnswer> => {
    const { data } = brokerSignInSchema.safeParse(request.body);
    if (data === undefined) return { result: "deny" };
    const { username, password, clientid } = data;
    if (!(await access.isDevice(username))) return { result: "ignore" };
    const isRight = clientid === username && (await access.signIn(username, password));
    return { result: isRight ? "allow" : "deny", is_superuser: false };
  };

  const reach = async (request: FastifyRequest): Promise<BrokerAnswer> => {
    const { data } = brokerTopicSchema.safeParse(request.body);
    if (data === undefined) return { result: "deny" };
    const { username, topic, action } = data;
    if (!(await access.isDevice(username))) return { result: "ignore" };
    const may = action === "publish" ? access.mayPublish(username, topic) : access.maySubscribe(username, topic);
    return { result: may && (await access.isInService(username)) ? "allow" : "deny" };
  };

  app.route({ method: "POST", url: brokerAuthPath, config: { anyHost: true }, onRequest, handler: signIn });
  app.route({ method: "POST", url: brokerAclPath, config: { anyHost: true }, onRequest, handler: reach });
}
