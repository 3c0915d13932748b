import { cp, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { repositoryDir } from "./local-images.ts";
import { runContained } from "./service-runner.ts";

const conditionSchema = z.object({ condition: z.enum(["service_healthy", "service_completed_successfully"]) });
const mountSchema = z.object({
  type: z.enum(["volume", "bind"]),
  source: z.string(),
  target: z.string(),
  read_only: z.boolean().default(false),
});

/** What compose says of a service. A key that is not here needs somebody to think of what it means for the check. */
const serviceSchema = z.strictObject({
  image: z.string(),
  build: z.unknown().optional(),
  command: z.array(z.string()).nullable(),
  entrypoint: z.null(),
  user: z.string().optional(),
  read_only: z.literal(true),
  cap_drop: z.tuple([z.literal("ALL")]),
  cap_add: z.array(z.string()).default([]),
  security_opt: z.tuple([z.literal("no-new-privileges:true")]),
  restart: z.enum(["no", "unless-stopped"]),
  profiles: z.array(z.string()).default([]),
  networks: z.unknown().optional(),
  network_mode: z.literal("none").optional(),
  ports: z.unknown().optional(),
  environment: z.record(z.string(), z.string()).default({}),
  volumes: z.array(mountSchema).default([]),
  tmpfs: z.array(z.string()).default([]),
  shm_size: z.unknown().optional(),
  stop_grace_period: z.enum(["20s", "1m0s"]).optional(),
  ulimits: z.unknown().optional(),
  healthcheck: z.object({ test: z.array(z.string()) }).optional(),
  depends_on: z.record(z.string(), conditionSchema).default({}),
});
const fileSchema = z.object({
  services: z.record(z.string(), serviceSchema),
  volumes: z.record(z.string(), z.unknown()),
});

export type ComposeFile = z.output<typeof fileSchema>;
export type ComposeService = z.output<typeof serviceSchema>;

/** How long compose waits before it kills a service. */
export const graceMs = ({ stop_grace_period: period = "10s" }: { readonly stop_grace_period?: string | undefined }) =>
  ({ "10s": 10_000, "20s": 20_000, "1m0s": 60_000 })[period] ?? 0;

/** Where compose sees deploy/. */
const INSIDE = "/deploy";

/**
 * deploy/compose.yaml as Debian's Docker Compose resolves it, with these settings in its `.env`. It needs no Docker for
 * that. `pathOf` finds the files that it mounts on this machine.
 */
export async function readComposeFile(
  workbench: string,
  folder: string,
  settings: Readonly<Record<string, string>>,
): Promise<ComposeFile & { readonly pathOf: (mounted: string) => string }> {
  const own = join(folder, "deploy");
  await cp(join(repositoryDir, "deploy"), own, { recursive: true });
  const lines = Object.entries(settings).map(([name, value]) => `${name}=${value}\n`);
  await writeFile(join(own, ".env"), lines.join(""));
  const words = "--file compose.yaml --profile two-servers config --format json";
  const printed = await runContained(
    {
      files: workbench,
      command: ["docker-compose", ...words.split(" ")],
      user: "0:0",
      workingDir: INSIDE,
      environment: { HOME: "/tmp" },
      mounts: [{ from: own, to: INSIDE, readOnly: true }],
      tmpfs: ["/tmp"],
      readOnly: true,
    },
    join(folder, "services/compose"),
  );
  return { ...fileSchema.parse(JSON.parse(printed)), pathOf: (mounted) => join(folder, mounted) };
}
