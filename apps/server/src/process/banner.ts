import { isLoopback } from "./loopback.ts";
import type { Mode } from "./settings.ts";
import type { Started } from "./start.ts";

/** What a start prints at its end. */
export function banner(mode: Mode, started: Started): string {
  const { host, port, brokerUrl, dataDir, controlAddress, hasConsole, firstAdmin, demoSignIns } = started;
  const everywhere = host === "0.0.0.0" || host === "::";
  const shownHost = everywhere ? "localhost" : host.includes(":") ? `[${host}]` : host;
  const isDemo = mode === "demo";
  const lines = [
    "",
    isDemo ? "Suncrew is ready. This is a demo: sample data, simulated robots." : "Suncrew is ready.",
    "",
    `  ${hasConsole ? "Console" : "Server "}   http://${shownHost}:${port}${everywhere ? "  (and every other address of this machine)" : ""}`,
  ];
  if (isDemo) {
    demoSignIns.forEach(({ username, password, role }, index) => {
      const label = index === 0 ? "Sign in" : "";
      lines.push(
        `  ${label.padEnd(10)}${`${username} / ${password}`.padEnd(24)}${role === "PARTNER" ? "Partner" : "Super Admin"}`,
      );
    });
  }
  if (isDemo && demoSignIns.length === 0) {
    lines.push("  Sign in   with the passwords that people have set; --reset begins anew");
  }
  if (firstAdmin !== null) {
    const source = firstAdmin.madeUpPassword === null ? "in ADMIN_PASSWORD" : "shown above";
    lines.push(`  Sign in   ${firstAdmin.username} with the password ${source}`);
  }
  lines.push(`  Broker    ${brokerUrl}`);
  if (isDemo)
    lines.push(`  Robots    control address ${controlAddress ?? "not known yet: the simulator is slow to start"}`);
  lines.push(`  Data      ${dataDir}`, "");
  if (isDemo && !isLoopback(host)) {
    lines.push("  WARNING: HOST lets other machines reach this demo, whose passwords everybody knows.", "");
  }
  lines.push("Ctrl-C stops everything.", "");
  return lines.join("\n");
}
