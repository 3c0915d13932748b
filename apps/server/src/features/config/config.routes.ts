import { config, health, ready } from "@suncrew/contract/config/config.ts";
import type { FastifyInstance } from "fastify";
import { HttpError } from "../../platform/http/http-error.ts";
import { registerOpen } from "../../platform/http/register.ts";
import type { Dependencies, Service } from "../../platform/dependencies.ts";
import { Readiness } from "./readiness.ts";
import { TileProbe, WorkingDemoSignIns } from "./config.service.ts";

export function configRoutes(app: FastifyInstance, deps: Dependencies): Service[] {
  const { mode, mapTiles } = deps.settings;
  const tiles = new TileProbe(deps);
  const signIns = new WorkingDemoSignIns(deps.db);
  const readiness = new Readiness(deps);

  registerOpen(app, config, async () => ({
    mode,
    demo_sign_ins: mode === "demo" ? await signIns.read() : [],
    map_tiles: mapTiles && { ...mapTiles, available: tiles.available },
  }));

  registerOpen(app, health, () => ({ status: "ok" as const }));

  let stopping = false;
  app.addHook("preClose", async () => void (stopping = true));
  registerOpen(app, ready, async () => {
    if (stopping) throw new HttpError(503, "SERVER_STOPPING", "This server is stopping.");
    const missing = await readiness.missing();
    if (missing !== null) throw new HttpError(503, "NOT_READY", missing);
    return { status: "ready", database: true, broker: true } as const;
  });

  return [tiles];
}
