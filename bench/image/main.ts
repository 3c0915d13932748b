import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { end } from "../production/private-part.ts";
import { ImageBuilder, repositoryDir } from "./local-images.ts";

/** Programs that this needs, by Debian's packages. */
const needed = {
  buildah: "buildah",
  debootstrap: "debootstrap",
  ip: "iproute2",
  "systemd-nspawn": "systemd-container",
};

/**
 * `npm run check:image`: builds the images of the Dockerfile without a registry, plays deploy/compose.yaml with them, and
 * tries them, nginx, Caddy, systemd's unit and the rules. Needs root on Debian; everything is in a temporary folder.
 */
async function main(): Promise<void> {
  if (process.getuid?.() !== 0) throw new Error("Run this as root: it makes a Debian and namespaces.");
  const missing = Object.entries(needed).filter(([program]) => spawnSync("which", [program]).status !== 0);
  if (missing.length > 0) {
    const packages = missing.map(([, name]) => name);
    console.log(`Installing Debian's ${packages.join(", ")}`);
    const { status } = spawnSync(join(repositoryDir, ".ci/debian-packages"), packages, { stdio: "inherit" });
    if (status !== 0) throw new Error(`Not installed: ${packages.join(", ")}.`);
  }
  const folder = await mkdtemp(join(tmpdir(), "suncrew-image-"));
  const builder = new ImageBuilder(folder);
  let trial: ChildProcess | null = null;
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.once(signal, () => {
      const ended = trial === null ? Promise.resolve() : end(trial, "SIGTERM", 20_000);
      void ended.then(() => builder.remove()).finally(() => process.exit(130));
    });
  }
  try {
    await writeFile(join(folder, "images.json"), JSON.stringify(await builder.build()));
    // A network of its own, with nothing but this machine: the ports of compose, and no way out.
    const script = `ip link set lo up && exec "$0" "$@"`;
    const program = [process.execPath, join(repositoryDir, "bench/image/try-installation.ts"), folder];
    trial = spawn("unshare", ["--net", "/bin/sh", "-c", script, ...program], { stdio: "inherit" });
    await once(trial, "exit");
    if (trial.exitCode !== 0) throw new Error("The images do not work as they should.");
  } finally {
    await builder.remove();
  }
}

const beganMs = performance.now();
try {
  await main();
  console.log(`The images work (${((performance.now() - beganMs) / 1000).toFixed(0)} s).`);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
