/** Two people with a clone each of one bare repository. */
import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type Ended, pawlInside, personInside } from "./project.ts";
import type { AtTerminal } from "./terminal.ts";
import { trustAsItIs } from "./trust.ts";

/** All workflows are served. */
const DOORS = { DOOR_ONLY: "" };

export class Member {
  readonly root: string;
  readonly #name: string;

  constructor(root: string, name: string) {
    this.root = root;
    this.#name = name;
    this.git("config", "user.email", `${name}@example.com`);
    this.git("config", "user.name", name);
    trustAsItIs(root);
  }

  git(...args: readonly string[]): string {
    return execFileSync("git", args, { cwd: this.root, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
  }

  commit(message: string): void {
    this.git("add", "-A");
    this.git("commit", "-q", "-m", message);
  }

  push(branch: string): void {
    this.commit(`${this.#name}'s work`);
    this.git("push", "-q", "origin", `HEAD:${branch}`);
  }

  merge(branch: string): void {
    this.git("fetch", "-q", "origin");
    this.git("merge", "-q", "--no-edit", `origin/${branch}`);
  }

  pawl(...args: readonly string[]): Promise<Ended> {
    return pawlInside(this.root, args, DOORS);
  }

  person(...args: readonly string[]): Promise<AtTerminal> {
    return personInside(this.root, args, DOORS);
  }

  read(path: string): string | null {
    return existsSync(join(this.root, path)) ? readFileSync(join(this.root, path), "utf8") : null;
  }

  write(path: string, text: string): void {
    mkdirSync(dirname(join(this.root, path)), { recursive: true });
    writeFileSync(join(this.root, path), text);
  }

  remove(path: string): void {
    rmSync(join(this.root, path), { recursive: true, force: true });
  }
}

export class Team {
  readonly #root = realpathSync(mkdtempSync(join(tmpdir(), "pawl-team-")));

  /** `fill` writes the first commit's files. */
  constructor(fill: (root: string) => void) {
    const first = join(this.#root, "first");
    mkdirSync(first);
    fill(first);
    const run = (...args: readonly string[]) => execFileSync("git", args, { cwd: first, stdio: "ignore" });
    run("init", "-q", "-b", "main");
    run("config", "user.email", "first@example.com");
    run("config", "user.name", "first");
    run("add", "-A");
    run("commit", "-q", "-m", "Begin");
    run("clone", "-q", "--bare", ".", this.#bare);
  }

  get #bare(): string {
    return join(this.#root, "shared.git");
  }

  clone(name: string, branch = "main"): Member {
    const root = join(this.#root, `${name}-${branch.replaceAll("/", "-")}`);
    execFileSync("git", ["clone", "-q", "-b", branch, this.#bare, root], { stdio: "ignore" });
    return new Member(root, name);
  }

  [Symbol.dispose](): void {
    rmSync(this.#root, { recursive: true, force: true });
  }
}
