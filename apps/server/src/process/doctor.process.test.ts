import { spawn } from "node:child_process";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { compiledBefore } from "../../test/suncrew-process.ts";

async function doctor(words: readonly string[]): Promise<{ readonly code: number | null; readonly printed: string }> {
  const child = spawn(process.execPath, [fileURLToPath(new URL("../doctor.ts", import.meta.url)), ...words], {
    env: {
      PATH: process.env["PATH"],
      ...compiledBefore,
      DATABASE_URL: "postgres://suncrew:hidden-from-view@127.0.0.1:1/suncrew",
      MQTT_URL: "mqtt://suncrew:hidden-from-view@127.0.0.1:1",
      SECRET_KEY: "q3ZkT9w-Lr7vXy0bN5mE2hUj8sAcD1fG",
      DATA_DIR: join(tmpdir(), "suncrew-doctor-none"),
      WEATHER_PROVIDER: "sample",
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let printed = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (part: Buffer) => (printed += part.toString()));
  await once(child, "close");
  return { code: child.exitCode, printed: printed.trim() };
}

test("npm run doctor: prints a line per check and what to do, or JSON; its exit code says how bad it is; no secret is printed", async () => {
  const [lines, json, wrong, help] = await Promise.all([
    doctor(["--no-console"]),
    doctor(["--no-console", "--json"]),
    doctor(["--all"]),
    doctor(["--help"]),
  ]);
  expect(lines.code).toBe(2);
  expect(lines.printed).toMatch(/^problem +database +It cannot be reached: connect ECONNREFUSED 127\.0\.0\.1:1\.$/m);
  expect(lines.printed).toMatch(/^ +-> Start the PostgreSQL/m);
  expect(lines.printed).toMatch(/2 problems, \d warnings\.$/);
  const { exitCode, findings } = JSON.parse(json.printed) as { exitCode: number; findings: { part: string }[] };
  expect([json.code, exitCode]).toEqual([2, 2]);
  expect(findings.map(({ part }) => part)).toContain("broker");
  expect(lines.printed + json.printed).not.toMatch(/hidden-from-view|q3ZkT9w/);
  expect([wrong.code, help.code]).toEqual([2, 0]);
});
