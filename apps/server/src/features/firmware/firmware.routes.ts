import {
  createRollout,
  deleteFirmware,
  firmwareFile,
  firmwareList,
  rolloutDetails,
  rolloutList,
  controlRollout,
  uploadFirmware,
} from "@suncrew/contract/firmware/firmware.ts";
import type { FastifyInstance } from "fastify";
import { register, registerOpen } from "../../platform/http/register.ts";
import type { Dependencies } from "../../platform/dependencies.ts";
import { Rollouts } from "./rollouts.service.ts";
import { FirmwareFiles } from "./firmware-files.service.ts";

export function firmwareRoutes(app: FastifyInstance, deps: Dependencies): void {
  const files = new FirmwareFiles(deps);
  const rollouts = new Rollouts(deps);

  register(app, firmwareList, () => files.list());
  register(app, uploadFirmware, ({ viewer, query, request }) => files.upload(viewer, query, request.body));
  register(app, deleteFirmware, ({ viewer, params }) => files.remove(viewer, params.firmwareId));
  registerOpen(app, firmwareFile, async ({ params, query, reply }) => {
    const { bytes, stream } = await files.download(params, query);
    void reply.header("content-length", bytes);
    return stream;
  });

  register(app, rolloutList, () => rollouts.list());
  register(app, createRollout, ({ viewer, body }) => rollouts.create(viewer, body));
  register(app, rolloutDetails, ({ params }) => rollouts.details(params.rolloutId));
  register(app, controlRollout, ({ viewer, params, body }) => rollouts.control(viewer, params.rolloutId, body.action));
}
