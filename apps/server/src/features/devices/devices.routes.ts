import {
  allocateDevices,
  deviceList,
  provisionDevices,
  retireDevice,
  rotateDeviceSecret,
} from "@suncrew/contract/devices/devices.ts";
import type { FastifyInstance } from "fastify";
import { register } from "../../platform/http/register.ts";
import type { Dependencies, Service } from "../../platform/dependencies.ts";
import type { Commands } from "../commands/public.ts";
import { brokerRoutes } from "./broker.routes.ts";
import { DeviceAccounts } from "./device-accounts.service.ts";
import { readDevices } from "./devices.queries.ts";

export function devicesRoutes(app: FastifyInstance, deps: Dependencies, commands: Commands): Service {
  const accounts = new DeviceAccounts(deps, commands);

  register(app, deviceList, ({ viewer }) => readDevices(viewer, deps.db));

  register(app, provisionDevices, ({ viewer, body }) => accounts.provision(viewer, body));

  register(app, allocateDevices, ({ viewer, body }) => accounts.allocate(viewer, body));

  register(app, rotateDeviceSecret, ({ viewer, params }) => accounts.rotate(viewer, params.serial));

  register(app, retireDevice, ({ viewer, params }) => accounts.retire(viewer, params.serial));

  brokerRoutes(app, deps);
  return accounts;
}
