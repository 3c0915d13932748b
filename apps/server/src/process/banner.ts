import { isLoopback } from "../platform/network.ts";
import type { Started } from "./start.ts";

const isEverywhere = (host: string) => host === "0.0.0.0" || host === "::";

function addressOf({ host, port }: Started): string {
  const shownHost = isEverywhere(host) ? "localhost" : host.includes(":") ? `[${host}]` : host;
  return `http://${shownHost}:${port}`;
}

/** What production tells in its log at the end of a start. */
export function readyLine(started: Started): Readonly<Record<string, unknown>> {
  const { host, brokerUrl, dataDir, hasConsole, firstAdmin } = started;
  return {
    url: addressOf(started),
    host,
    hasConsole,
    broker: brokerUrl,
    dataDir,
    ...(firstAdmin !== null && { firstAdmin: firstAdmin.username }),
  };
}

/** What a demo's start prints at its end. */
export function banner(started: Started): string {
  const { host, brokerUrl, dataDir, controlAddress, hasConsole, demoSignIns } = started;
  const others = isEverywhere(host) ? "  (and every other address of this machine)" : "";
  const lines = [
    "",
    "Suncrew is ready. This is a demo: sample data, simulated robots.",
    "",
    `  ${hasConsole ? "Console" : "Server "}   ${addressOf(started)}${others}`,
  ];
  demoSignIns.forEach(({ username, password, role }, index) => {
    const label = index === 0 ? "Sign in" : "";
    lines.push(
      `  ${label.padEnd(10)}${`${username} / ${password}`.padEnd(24)}${role === "PARTNER" ? "Partner" : "Super Admin"}`,
    );
  });
  if (demoSignIns.length === 0) {
    lines.push("  Sign in   with the passwords that people have set; --reset begins anew");
  }
  lines.push(`  Broker    ${brokerUrl}`);
  lines.push(`  Robots    control address ${controlAddress ?? "not known yet: the simulator is slow to start"}`);
  lines.push(`  Data      ${dataDir}`, "");
  if (!isLoopback(host)) {
    lines.push("  WARNING: HOST lets other machines reach this demo, whose passwords everybody knows.", "");
  }
  lines.push("Ctrl-C stops everything.", "");
  return lines.join("\n");
}
