import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { z } from "zod";
import { repositoryDir } from "./local-images.ts";

const conditionSchema = z.object({ condition: z.enum(["service_healthy", "service_completed_successfully"]) });

/** The keys that services of deploy/compose.yaml have. A new one needs somebody to think of what it means here. */
const serviceSchema = z.strictObject({
  image: z.string(),
  build: z.object({ context: z.literal(".."), target: z.enum(["server", "broker"]) }).optional(),
  command: z.array(z.string()).optional(),
  user: z.string().optional(),
  read_only: z.literal(true),
  cap_drop: z.tuple([z.literal("ALL")]),
  cap_add: z.array(z.string()).default([]),
  security_opt: z.tuple([z.literal("no-new-privileges:true")]),
  restart: z.enum(["no", "unless-stopped"]),
  profiles: z.array(z.string()).optional(),
  network_mode: z.literal("none").optional(),
  ports: z.array(z.string()).optional(),
  env_file: z.tuple([z.object({ path: z.literal(".env"), required: z.literal(false) })]).optional(),
  environment: z.record(z.string(), z.string()).default({}),
  volumes: z.array(z.string()).default([]),
  tmpfs: z.array(z.string()).default([]),
  shm_size: z.string().optional(),
  stop_grace_period: z
    .string()
    .regex(/^\d+s$/)
    .default("10s"),
  ulimits: z.object({ nofile: z.int() }).optional(),
  healthcheck: z
    .object({ test: z.array(z.string()) })
    .loose()
    .optional(),
  depends_on: z.record(z.string(), conditionSchema).default({}),
});
const fileSchema = z.object({
  services: z.record(z.string(), serviceSchema),
  volumes: z.record(z.string(), z.null()),
});

export type ComposeService = z.output<typeof serviceSchema>;

/** deploy/compose.yaml as compose reads it, with these variables in its `.env`. */
export function readComposeFile(variables: Readonly<Record<string, string>>) {
  const text = readFileSync(join(repositoryDir, "deploy/compose.yaml"), "utf8");
  const replaced = text.replaceAll(
    /\$\{(\w+):-([^}]*)\}/g,
    (_whole, name: string, otherwise: string) => variables[name] ?? otherwise,
  );
  if (replaced.includes("${")) throw new Error("deploy/compose.yaml has a variable without a default.");
  return fileSchema.parse(parse(replaced, { merge: true }));
}
