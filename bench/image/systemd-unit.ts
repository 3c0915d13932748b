import { strict as assert } from "node:assert";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import type { ServerPlace } from "../production/killed-servers.ts";
import { end } from "../production/private-part.ts";
import { until } from "../production/wait-and-random.ts";
import { type LocalImages, repositoryDir, run } from "./local-images.ts";
import { firstProcessOf } from "./service-runner.ts";

/** Beside the server of compose, which has 3000. */
const SERVER = { url: "http://127.0.0.1:3100" };
const BOOT_LIMIT_MS = 120_000;
const START_LIMIT_MS = 120_000;

/**
 * Runs deploy/suncrew.service as docs/operating.md says, under a systemd that has booted in a container, as one more
 * server of the installation. `press` tries the server at that address. Returns a sentence of what holds, or null after
 * saying why systemd cannot boot on this machine.
 */
export async function tryUnit(
  images: LocalImages,
  folder: string,
  keys: string,
  press: (server: Pick<ServerPlace, "url">) => Promise<void>,
): Promise<string | null> {
  let machine;
  try {
    machine = await SystemdMachine.boot(images, join(folder, "systemd"), keys);
  } catch (error) {
    // Not every machine lets a container have control groups; nothing is wrong with the unit then.
    if (!(error instanceof NotBootableError)) throw error;
    console.log(`-- systemd's unit was only read, not run: ${error.message}`);
    return null;
  }
  try {
    await machine.install();
    await machine.untilReady();
    await press(SERVER);
    const [pid] = await machine.show("MainPID");
    const rights = await machine.do(`grep -E '^(Uid|CapEff|CapBnd|NoNewPrivs|Seccomp):' /proc/${pid}/status`);
    assert.match(rights, /^Uid:\s+6\d{4}\s[^]*CapEff:\s0+\nCapBnd:\s0+\nNoNewPrivs:\s1\nSeccomp:\s2\n/);
    await machine.do(`kill -9 ${pid}`);
    await machine.until("NRestarts", "1");
    await machine.untilReady();
    await machine.do("systemctl stop suncrew");
    assert.deepEqual(await machine.show("ActiveState", "Result"), ["inactive", "success"]);
    await machine.do("echo LOG_LEVEL=loudest >> /etc/suncrew/environment && systemctl start suncrew");
    await machine.until("ActiveState", "failed");
    assert.deepEqual(await machine.show("ExecMainStatus", "NRestarts"), ["2", "0"]);
    assert.match(await machine.do("journalctl -u suncrew -o cat"), /LOG_LEVEL must be fatal, .*; it is \\"loudest\\"/);
    return "systemd runs its unit without any capability: Start and Stop, again when killed, a clean end, and none after a wrong setting";
  } catch (error) {
    console.error(`--- systemd\n${await machine.do("journalctl -o cat | tail -40").catch(String)}`);
    throw error;
  } finally {
    await machine.stop();
  }
}

/** The container ended before systemd was up. */
class NotBootableError extends Error {}

/** Debian with systemd as its first process, in a container of systemd-nspawn that has this process's network. */
class SystemdMachine {
  readonly #container: ChildProcess;

  private constructor(container: ChildProcess) {
    this.#container = container;
  }

  static async boot({ workbench, server }: LocalImages, place: string, keys: string): Promise<SystemdMachine> {
    const changes = join(place, "changes");
    // An installation by npm has Node among its packages; the image has it elsewhere.
    const node = join(changes, "node_modules/.bin");
    mkdirSync(node, { recursive: true });
    copyFileSync(process.execPath, join(node, "node"));
    const hosts = join(place, "../services/server/hosts");
    const words = "--quiet --register=no --keep-unit --console=pipe --kill-signal=SIGRTMIN+3 --volatile=overlay";
    const mounts = [
      `--directory=${workbench}`,
      `--overlay=${join(server, "opt/suncrew")}:${changes}:/opt/suncrew/1`,
      `--bind-ro=${join(repositoryDir, "deploy")}:/deploy`,
      `--bind-ro=${keys}:/keys`,
      `--bind-ro=${hosts}:/hosts`,
    ];
    const container = spawn("systemd-nspawn", [...words.split(" "), ...mounts, "--boot", "systemd.unit=basic.target"], {
      stdio: ["ignore", "pipe", "pipe"],
    });
    const machine = new SystemdMachine(container);
    let printed = "";
    for (const output of [container.stdout, container.stderr]) {
      output.setEncoding("utf8").on("data", (text: string) => (printed += text));
    }
    const isUp = () =>
      machine.do("systemctl is-active basic.target").then(
        () => true,
        () => false,
      );
    const ended = once(container, "exit").then(() => Promise.reject(new NotBootableError(printed.trim())));
    ended.catch(() => undefined);
    try {
      await Promise.race([ended, until(isUp, BOOT_LIMIT_MS, "systemd did not boot")]);
      return machine;
    } catch (error) {
      await machine.stop();
      throw error;
    }
  }

  /** The lines of docs/operating.md, with the settings of the installation. */
  async install(): Promise<void> {
    await this.do(`
      cp /hosts /etc/hosts
      rm -rf /opt/suncrew/current
      ln -sfn 1 /opt/suncrew/current
      install -m 644 -D /keys/authority.crt /etc/ssl/suncrew/authority.crt
      install -m 600 -D /keys/settings.env /etc/suncrew/environment
      printf '%s\\n' PORT=3100 PUBLIC_URL=https://suncrew.example WEATHER_PROVIDER=sample \\
        NODE_EXTRA_CA_CERTS=/etc/ssl/suncrew/authority.crt >> /etc/suncrew/environment
      install -m 644 /deploy/suncrew.service /etc/systemd/system/
      systemctl daemon-reload
      systemctl enable --now suncrew`);
  }

  /** Runs the lines inside as root; returns what they printed, and throws if one fails. */
  async do(lines: string): Promise<string> {
    return run("nsenter", ["--target", `${firstProcessOf(this.#container)}`, "--all", "--", "/bin/sh", "-euc", lines]);
  }

  async show(...names: readonly string[]): Promise<string[]> {
    const values = names.map((name) => this.do(`systemctl show --value --property=${name} suncrew`));
    return (await Promise.all(values)).map((value) => value.trim());
  }

  until(name: string, value: string): Promise<void> {
    const isSo = async () => (await this.show(name))[0] === value;
    return until(isSo, START_LIMIT_MS, `${name} of the unit was not ${value}`);
  }

  untilReady(): Promise<void> {
    const isReady = () =>
      fetch(`${SERVER.url}/api/ready`).then(
        ({ status }) => status === 200,
        () => false,
      );
    return until(isReady, START_LIMIT_MS, "The server under systemd was not ready");
  }

  stop(): Promise<void> {
    return end(this.#container, "SIGTERM", 10_000);
  }
}
