import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** A program in an image's files, as a container engine would run it. */
export interface Contained {
  /** The image's files; left as they are. */
  readonly files: string;
  readonly command: readonly string[];
  readonly user: string;
  readonly workingDir?: string;
  readonly environment?: Readonly<Record<string, string>>;
  /** Folders and files of this machine by their paths inside; read-only where it says so. */
  readonly mounts?: readonly { readonly from: string; readonly to: string; readonly readOnly: boolean }[];
  readonly tmpfs?: readonly string[];
  /** Capabilities that it keeps, in small letters. */
  readonly capabilities?: readonly string[];
  readonly readOnly: boolean;
}

export interface RunningContained {
  printed(): string;
  /** Sends the signal to the program, which is process 1 inside. */
  signal(name: NodeJS.Signals): void;
  readonly ended: Promise<number | string>;
  kill(): Promise<void>;
}

const allRunning = new Set<RunningContained>();

/** Ends everything that was started and still runs. */
export async function killEverything(): Promise<void> {
  await Promise.all(Array.from(allRunning, (running) => running.kill()));
}

const quoted = (word: string): string => `'${word.replaceAll("'", String.raw`'\''`)}'`;

/** In the images /var/run leads to /run; from outside the link would lead out of them. */
const inside = (path: string): string => path.replace(/^\/var\/run\//, "/run/");

/**
 * Starts it in mount and process namespaces of its own: a root that cannot be written, its own /proc and /tmp, its user,
 * no capabilities and no way to new ones. The network is this process's; limits of memory, files and system calls are not set.
 */
export function startContained(contained: Contained, place: string): RunningContained {
  mkdirSync(place, { recursive: true });
  const root = join(place, "root");
  mkdirSync(root, { recursive: true });
  const hosts = join(place, "hosts");
  writeFileSync(hosts, "127.0.0.1 localhost database broker server suncrew.example\n");
  const mounts = [...(contained.mounts ?? []), { from: hosts, to: "/etc/hosts", readOnly: true }];
  const tmpfs = ["/dev/shm", ...(contained.tmpfs ?? [])];
  // What a container engine creates in the image before it makes it read-only.
  for (const { from, to } of mounts) makeMountPoint(join(contained.files, inside(to)), from);
  for (const path of tmpfs)
    if (path !== "/dev/shm") mkdirSync(join(contained.files, inside(path)), { recursive: true });
  const [uid = "0", gid = uid] = contained.user.split(":");
  const kept = (contained.capabilities ?? []).map((name) => `,+${name}`).join("");
  const environment = {
    PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    ...contained.environment,
  };
  const identity = `--reuid=${uid} --regid=${gid} --clear-groups --no-new-privs`;
  const rights = `--bounding-set=-all${kept} --inh-caps=-all --ambient-caps=-all`;
  const words = [
    ...`chroot ${root} /usr/bin/setpriv ${identity} ${rights}`.split(" "),
    ...`/usr/bin/env -i --chdir=${contained.workingDir ?? "/"}`.split(" "),
    ...Object.entries(environment).map(([name, value]) => `${name}=${value}`),
    ...contained.command,
  ];
  const script = [
    "set -eu",
    `mount --bind ${quoted(contained.files)} ${quoted(root)}`,
    `mount -t proc proc ${quoted(join(root, "proc"))}`,
    `mount --bind /dev ${quoted(join(root, "dev"))}`,
    ...tmpfs.map((path) => `mount -t tmpfs -o mode=1777 tmpfs ${quoted(join(root, inside(path)))}`),
    ...mounts.flatMap(({ from, to, readOnly }) => {
      const target = quoted(join(root, inside(to)));
      return [`mount --bind ${quoted(from)} ${target}`, ...(readOnly ? [`mount -o remount,bind,ro ${target}`] : [])];
    }),
    ...(contained.readOnly ? [`mount -o remount,bind,ro ${quoted(root)}`] : []),
    `exec ${words.map(quoted).join(" ")}`,
  ].join("\n");
  const isolation = ["--mount", "--pid", "--fork", "--propagation", "private"];
  const child = spawn("unshare", [...isolation, "/bin/sh", "-c", script], { stdio: ["ignore", "pipe", "pipe"] });
  let text = "";
  for (const output of [child.stdout, child.stderr]) {
    output.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
  }
  const ended = new Promise<number | string>((resolve) => {
    child.once("close", (code, signal) => resolve(code ?? signal ?? "unknown"));
  });
  const running: RunningContained = {
    printed: () => text,
    signal: (name) => process.kill(firstProcessOf(child), name),
    ended,
    async kill() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const closed = once(child, "close");
      process.kill(firstProcessOf(child), "SIGKILL");
      await closed;
    },
  };
  allRunning.add(running);
  void ended.then(() => allRunning.delete(running));
  return running;
}

/** Runs it to its end and returns what it printed. Throws with that if it fails. */
export async function runContained(contained: Contained, place: string): Promise<string> {
  const running = startContained(contained, place);
  const code = await running.ended;
  if (code !== 0) throw new Error(`${contained.command.join(" ")} ended with ${code}: ${running.printed()}`);
  return running.printed();
}

function makeMountPoint(path: string, from: string): void {
  if (existsSync(path)) return;
  mkdirSync(dirname(path), { recursive: true });
  if (statSync(from).isDirectory()) mkdirSync(path);
  else writeFileSync(path, "");
}

/** The first process inside, by its number outside. Throws if there is none. */
export function firstProcessOf({ pid = 0 }: ChildProcess): number {
  const [first] = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ");
  if (first === undefined || first === "") throw new Error("The program has not started, or has ended.");
  return Number(first);
}
