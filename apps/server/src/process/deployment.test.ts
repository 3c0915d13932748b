import {
  MAX_MESSAGE_BYTES,
  deviceLeaves,
  serverLeaves,
  STOP_NOTICES_TOPIC,
  TOPIC_ROOT,
} from "@suncrew/contract/devices/topics.ts";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import { repositoryDir } from "./data-folder.ts";
import { variableNames } from "./environment-variables.ts";

const read = (path: string) => readFileSync(join(repositoryDir, path), "utf8");

const { services } = z
  .object({
    services: z.record(
      z.string(),
      z.object({
        read_only: z.boolean().optional(),
        cap_drop: z.array(z.string()).optional(),
        security_opt: z.array(z.string()).optional(),
        environment: z.record(z.string(), z.string()).default({}),
        ports: z.array(z.string()).default([]),
        stop_grace_period: z.string().optional(),
      }),
    ),
  })
  .parse(parse(read("deploy/compose.yaml"), { merge: true }));

describe("set-up: the installation of deploy/compose.yaml", () => {
  test("every service is hardened, and only the broker is open to other machines", () => {
    for (const [name, { read_only, cap_drop, security_opt }] of Object.entries(services)) {
      const hardened = { name, read_only: true, cap_drop: ["ALL"], security_opt: ["no-new-privileges:true"] };
      expect({ name, read_only, cap_drop, security_opt }).toEqual(hardened);
    }
    const open = Object.values(services).flatMap(({ ports }) => ports.filter((port) => !port.startsWith("127.0.0.1:")));
    expect(open).toEqual(["8883:8883"]);
    // As docs/operating.md says how long a server may take.
    expect(services["server"]?.stop_grace_period).toBe("20s");
  });

  test("the files set only variables that exist, and contain no secret", () => {
    const known = new Set<string>([...variableNames, "NODE_EXTRA_CA_CERTS", "NODE_ENV"]);
    const inCompose = ["server", "server-2", "migrate"].flatMap((name) =>
      Object.keys(services[name]?.environment ?? {}),
    );
    const inUnit = /^Environment=(.+)$/m.exec(read("deploy/suncrew.service"))?.[1]?.match(/\w+(?==)/g) ?? [];
    const generated = [...read("deploy/prepare.sh").matchAll(/^([A-Z_]+)=(.+)$/gm)];
    const names = [...inCompose, ...inUnit, ...generated.map(([, name = ""]) => name)];
    expect(names.filter((name) => !known.has(name))).toEqual([]);
    expect(names).toEqual(expect.arrayContaining(["DATABASE_URL", "MIGRATION_DATABASE_URL", "MQTT_URL", "SECRET_KEY"]));
    const values = generated.filter(([, name]) => name !== "BROKER_ACCOUNTS").map(([, , value = ""]) => value);
    expect(values.filter((value) => !value.includes("$(secret "))).toEqual([]);
  });

  test("protocol rule 9: its broker lets accounts reach the protocol's topics, and messages be as long, as the contract says", () => {
    expect(read("deploy/mosquitto.acl").trim().split("\n")).toEqual([
      "user suncrew-accounts",
      "topic readwrite $CONTROL/dynamic-security/#",
      "user suncrew",
      ...deviceLeaves.map((leaf) => `topic read ${TOPIC_ROOT}/+/${leaf}`),
      ...serverLeaves.map((leaf) => `topic write ${TOPIC_ROOT}/+/${leaf}`),
      `topic readwrite ${STOP_NOTICES_TOPIC}/#`,
      ...deviceLeaves.map((leaf) => `pattern write ${TOPIC_ROOT}/%u/${leaf}`),
      ...serverLeaves.map((leaf) => `pattern read ${TOPIC_ROOT}/%u/${leaf}`),
    ]);
    expect(read("deploy/mosquitto.conf")).toContain(`\nmessage_size_limit ${MAX_MESSAGE_BYTES}\n`);
  });
});
