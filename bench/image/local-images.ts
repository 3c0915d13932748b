import { spawn } from "node:child_process";
import { once } from "node:events";
import { copyFile, cp, mkdir, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { runProgram } from "../production/private-part.ts";

export const repositoryDir = fileURLToPath(new URL("../..", import.meta.url));

/** Debian's release of the Dockerfile's default base. */
const RELEASE = "trixie";
const MIRROR = "http://deb.debian.org/debian";
const CERTIFICATES = "/etc/ssl/certs/ca-certificates.crt";

/** Debian's other programs that the check needs: what runs beside Suncrew, and what reads its configuration files. */
const WORKBENCH = `ARG BASE
FROM \${BASE}
RUN groupadd --gid 999 postgres \\
  && useradd --uid 999 --gid postgres --home-dir /var/lib/postgresql --shell /bin/bash postgres \\
  && export DEBIAN_FRONTEND=noninteractive \\
  && apt-get -qq update \\
  && apt-get -qq install -y --no-install-recommends postgresql-17 nginx-light caddy prometheus systemd docker-compose > /dev/null
`;

/** Where each image's files are. */
export interface LocalImages {
  readonly server: string;
  readonly broker: string;
  readonly workbench: string;
  /** What the images say about how they are run. */
  readonly configurations: Readonly<Record<"suncrew" | "suncrew-broker", unknown>>;
}

/**
 * Builds both images of the Dockerfile with buildah, without a registry: the base comes from debootstrap, and what builds
 * has the npm that runs this, and the product's Node. Everything is inside the folder.
 */
export class ImageBuilder {
  readonly #folder: string;
  readonly #store: readonly string[];

  constructor(folder: string) {
    this.#folder = folder;
    const [root, run] = [join(folder, "images"), join(folder, "run")];
    this.#store = ["--root", root, "--runroot", run, "--storage-driver", "vfs"];
  }

  async build(): Promise<LocalImages> {
    await this.#step("Debian's base", () => this.#makeBases());
    const recipe = join(this.#folder, "workbench.Dockerfile");
    await writeFile(recipe, WORKBENCH);
    const dockerfile = ["--file", join(repositoryDir, "Dockerfile")];
    const others = async () => {
      await this.#step("the broker's image", () => this.#bud("broker", [...dockerfile, "--target", "broker"]));
      await this.#step("what they are tried with", () => this.#bud("workbench", ["--file", recipe]));
    };
    const server = () => this.#bud("server", [...dockerfile, "--target", "server"]);
    await Promise.all([this.#step("the server's image", server), others()]);
    return {
      server: this.#filesOf("server"),
      broker: this.#filesOf("broker"),
      workbench: this.#filesOf("workbench"),
      configurations: { suncrew: this.#configurationOf("server"), "suncrew-broker": this.#configurationOf("broker") },
    };
  }

  /** Unmounts and removes all images. */
  async remove(): Promise<void> {
    await this.#buildah(["umount", "--all"]).catch(() => undefined);
    await rm(this.#folder, { recursive: true, force: true });
  }

  async #makeBases(): Promise<void> {
    const base = join(this.#folder, "base");
    await this.#makeDebian(base);
    await this.#import(base, "base");
    // As Docker's node images have it: npm below /usr/local, with the certificates of this machine.
    const npm = dirname(dirname(await realpath(process.env["npm_execpath"] ?? "/usr/bin/npm")));
    await mkdir(join(base, "usr/local/lib/node_modules"), { recursive: true });
    await mkdir(join(base, dirname(CERTIFICATES)), { recursive: true });
    await mkdir(join(base, "usr/local/etc"), { recursive: true });
    await cp(npm, join(base, "usr/local/lib/node_modules/npm"), { recursive: true });
    await copyFile(process.execPath, join(base, "usr/local/bin/node"));
    await symlink("../lib/node_modules/npm/bin/npm-cli.js", join(base, "usr/local/bin/npm"));
    await copyFile(CERTIFICATES, join(base, CERTIFICATES));
    await writeFile(join(base, "usr/local/etc/npmrc"), `cafile=${CERTIFICATES}\nupdate-notifier=false\n`);
    await this.#import(base, "build-base");
    await rm(base, { recursive: true });
  }

  /** Package servers may be away for a moment. */
  async #makeDebian(folder: string): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        await run("debootstrap", ["--variant=minbase", RELEASE, folder, MIRROR]);
        return;
      } catch (error) {
        if (attempt === 3) throw error;
        console.error(`debootstrap failed (attempt ${attempt} of 3).`);
        await rm(folder, { recursive: true, force: true });
      }
    }
  }

  async #import(folder: string, name: string): Promise<void> {
    const archive = join(this.#folder, `${name}.tar`);
    await run("tar", ["-C", folder, "-cf", archive, "."]);
    const container = (await this.#buildah(["from", "scratch"])).trim();
    await this.#buildah(["add", "--quiet", container, archive, "/"]);
    await this.#buildah(["commit", "--quiet", "--rm", container, imageName(name)]);
    await rm(archive);
  }

  #bud(name: string, args: readonly string[]): Promise<string> {
    const bases = ["--build-arg", `BASE=${imageName("base")}`, "--build-arg", `BUILD_BASE=${imageName("build-base")}`];
    // Docker's format: the other one has no health check.
    return this.#buildah(["bud", "--format", "docker", ...bases, ...args, "--tag", imageName(name), repositoryDir]);
  }

  #filesOf(name: string): string {
    const container = this.#ask(["from", "--pull-never", imageName(name)]);
    return this.#ask(["mount", container]);
  }

  #configurationOf(name: string): unknown {
    const { Docker } = JSON.parse(this.#ask(["inspect", "--type", "image", imageName(name)])) as {
      Docker: { config: unknown };
    };
    return Docker.config;
  }

  #ask(args: readonly string[]): string {
    return runProgram(null, "buildah", [...this.#store, ...args]).trim();
  }

  #buildah(args: readonly string[]): Promise<string> {
    return run("buildah", [...this.#store, ...args], { BUILDAH_ISOLATION: "chroot" });
  }

  async #step(what: string, work: () => Promise<unknown>): Promise<void> {
    const beganMs = performance.now();
    await work();
    console.log(`Made ${what} in ${((performance.now() - beganMs) / 1000).toFixed(0)} s`);
  }
}

const imageName = (name: string): string => `localhost/suncrew-${name}`;

/** Runs a program to its end and returns what it printed. Throws with all of it if it fails. */
export async function run(program: string, args: readonly string[], environment: Record<string, string> = {}) {
  const child = spawn(program, args, {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, LC_ALL: "C.UTF-8", ...environment },
  });
  let [printed, all] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    printed += text;
    all += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => (all += text));
  await once(child, "close");
  if (child.exitCode !== 0) throw new Error(`${program} ${args.join(" ")} failed (${child.exitCode}):\n${all}`);
  return printed;
}
