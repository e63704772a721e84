/** A repository whose branch was approved at a signed gate, and what an attacker does to it. */
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type GateRecord, renderRecord } from "../../src/core/gate-record.ts";
import type { Report } from "../../src/verify/report.ts";
import { pawlInside } from "./project.ts";
import { releaseProject } from "./release-project.ts";
import { type Person, personWithKey } from "./signing.ts";

export const RUN = ".alfred/gates/release/1.2.0";
const NOTES = "# Notes\n\n- [x] the docs are right\n";

export interface Verified extends Report {
  readonly verified: boolean;
  readonly code: number;
}

export class SignedRepository {
  readonly root: string;
  readonly person: Person;

  constructor(root: string, person: Person) {
    this.root = root;
    this.person = person;
  }

  git(...args: readonly string[]): string {
    return execFileSync("git", args, { cwd: this.root, encoding: "utf8", stdio: "pipe" }).trim();
  }

  has(path: string): boolean {
    return existsSync(join(this.root, path));
  }

  read(path: string): string {
    return readFileSync(join(this.root, path), "utf8");
  }

  write(path: string, text: string): void {
    mkdirSync(dirname(join(this.root, path)), { recursive: true });
    writeFileSync(join(this.root, path), text);
  }

  commit(message: string): void {
    this.git("add", "-A");
    this.git("commit", "-qm", message);
  }

  /** The record as the person would have signed it had it said this. */
  resign(seq: number, change: Partial<GateRecord>, by: Person = this.person, namespace?: string): void {
    const path = `${RUN}/000${seq}.json`;
    const record = JSON.parse(this.read(path)) as GateRecord;
    const text = renderRecord({ ...record, ...change });
    this.write(path, text);
    this.write(path.replace(".json", ".sig"), signatureOf(text, by, namespace));
  }

  record(seq: number): GateRecord {
    return JSON.parse(this.read(`${RUN}/000${seq}.json`)) as GateRecord;
  }

  async verify(range = "main..HEAD", ...args: readonly string[]): Promise<Verified> {
    const { code, err, out } = await this.run(range, "--json", ...args);
    if (err !== "") throw new Error(err);
    return { ...JSON.parse(out), code } as Verified;
  }

  run(range: string, ...args: readonly string[]) {
    return pawlInside(this.root, ["verify", range, ...args], { DOOR_ONLY: "" });
  }

  copy(): SignedRepository {
    const root = mkdtempSync(join(tmpdir(), "pawl-signed-"));
    cpSync(this.root, root, { recursive: true });
    return new SignedRepository(root, this.person);
  }

  [Symbol.dispose](): void {
    rmSync(this.root, { recursive: true, force: true });
  }
}

function signatureOf(text: string, { key }: Person, namespace = "pawl-gate-v1"): string {
  return execFileSync("ssh-keygen", ["-Y", "sign", "-n", namespace, "-f", key], {
    input: text,
    encoding: "utf8",
    stdio: ["pipe", "pipe", "ignore"],
  });
}

/**
 * `main` asks for signed gates and names the person's key. `work` changes three files; its release was rejected, handed in
 * again and approved, and the two records are committed on top.
 */
export async function signedRepository(): Promise<SignedRepository> {
  const person = personWithKey();
  const project = releaseProject({ ...person.environment, DOOR_ONLY: "" });
  const repository = new SignedRepository(project.root, person);
  const { git } = { git: (...args: string[]) => repository.git(...args) };
  repository.write("pawl.yaml", `${repository.read("pawl.yaml")}gates: signed\n`);
  git("init", "-q", "-b", "main");
  git("config", "user.email", person.name);
  git("config", "user.name", "Ada");
  await checked(project.person("keys", "add", `${person.key}.pub`, "--unprotected"));
  repository.write(".gitignore", ".pawl/\ntags/\n");
  git("add", "-A");
  git("commit", "-qm", "Begin");
  git("checkout", "-qb", "work");
  repository.write("src/a.js", "one\n");
  git("add", "-A");
  git("commit", "-qm", "Half of the work");
  repository.write("src/b.js", "two\n");
  repository.write("test/a.test.js", "three\n");
  repository.write("releases/1.2.0.md", NOTES);
  git("add", "-A");
  git("commit", "-qm", "The work");
  const submit = ["cast", "release:1.2.0", "submit", "--fact", "risk=low"];
  await checked(project.pawl(...submit));
  await checked(project.person("reject", "1.2.0", "-m", "Not yet"));
  await checked(project.pawl(...submit));
  await checked(project.person("approve", "1.2.0"));
  git("add", "-A");
  git("commit", "-qm", "Approved");
  return repository;
}

async function checked(
  ended: Promise<{ readonly code: number | null; readonly err: string }>,
): Promise<void> {
  const { code, err } = await ended;
  if (code !== 0) throw new Error(err);
}
