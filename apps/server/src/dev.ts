import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createServer } from "vite";
import { choosePort } from "./platform/network.ts";
import { StartError } from "./platform/errors.ts";
import { repositoryDir } from "./process/data-folder.ts";

/** Development mode: the demo's server, restarted when its sources change, and the console with hot reload. */
async function main(): Promise<void> {
  const requestedPort = Number(process.env["PORT"] || 3000);
  const consolePort = await choosePort(requestedPort, ["127.0.0.1"], !process.env["PORT"], "PORT");
  const serverPort = await choosePort(consolePort + 1, ["127.0.0.1"], true, "PORT");
  const watched = ["apps/server/src", "apps/server/migrations", "packages/contract/src", "packages/domain/src"];
  const server = spawn(
    process.execPath,
    [
      "--watch-preserve-output",
      ...watched.map((path) => `--watch-path=${join(repositoryDir, path)}`),
      join(repositoryDir, "apps/server/src/main.ts"),
      "demo",
      "--no-console",
    ],
    // A process group of its own: a Ctrl-C reaches this process only, which then stops the server cleanly.
    { cwd: repositoryDir, detached: true, stdio: "inherit", env: { ...process.env, PORT: String(serverPort) } },
  );
  process.env["SUNCREW_API"] = `http://127.0.0.1:${serverPort}`;
  const vite = await createServer({
    root: join(repositoryDir, "apps/console"),
    configFile: join(repositoryDir, "apps/console/vite.config.ts"),
    server: { port: consolePort, strictPort: true, host: "127.0.0.1" },
  });
  await vite.listen();
  process.stdout.write(
    `\n  Console with hot reload: http://localhost:${consolePort} (the server below answers its calls)\n\n`,
  );

  let ending = false;
  const end = async (): Promise<void> => {
    if (ending) return;
    ending = true;
    await vite.close();
    if (server.exitCode === null && server.signalCode === null) {
      const ended = once(server, "exit");
      server.kill("SIGTERM");
      await ended;
    }
    process.exit(0);
  };
  for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(name, () => void end());
  server.once("exit", () => void end());
}

try {
  await main();
} catch (error) {
  process.stderr.write(`${error instanceof StartError ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
