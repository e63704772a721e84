/**
 * Tests the wall from inside, for `pawl config agents`. The results are checked outside instead of being trusted.
 */
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { WallFound } from "../../core/ports/agents.ts";
import { allowedEnvironment } from "../process/environment.ts";
import { safePath } from "../process/programs.ts";
import { spawnSync } from "../process/start-program.ts";
import { homeOf } from "./homes.ts";
import { followsPlanted, probe } from "./probe.ts";
import { openWall, type WallSetup } from "./wall.ts";

const PROOF_TIMEOUT = 20_000;
/** The shell, the program that lists, and bubblewrap itself. */
const OWN_PROCESSES = 6;

export async function proveWall({ settings, ...place }: WallSetup): Promise<WallFound> {
  // Reports also a wall that the settings demand and that cannot be built.
  const setup = {
    ...place,
    settings: { ...settings, kind: settings.kind === "none" ? "none" : "auto" },
  } as const;
  const scratch = mkdtempSync(join(tmpdir(), "pawl-wall-"));
  const hasProject = existsSync(join(setup.projectRoot, ".pawl"));
  try {
    const [folder, elsewhere] = [join(scratch, "work"), join(scratch, "project")];
    for (const each of [folder, elsewhere]) mkdirSync(each);
    const root = hasProject ? setup.projectRoot : elsewhere;
    const { wall, why } = openWall({ ...setup, projectRoot: root, programs: [process.execPath] });
    if (wall === null) return { kind: "none", why };
    const mark = `pawl-wall-${process.pid}`;
    const home = homeOf(setup.environment);
    const environment = { ...allowedEnvironment(setup.environment), PATH: safePath(setup.environment) };
    // The kernel accepts a connection by itself while this process waits for the script.
    const server = createServer().listen(0, "127.0.0.1").unref();
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const called = wall.enclose({
      folder: { agentPath: folder },
      program: "sh",
      args: ["-c", SCRIPT, "sh", root, mark, process.execPath, CONNECT, String(port)],
      environment,
    });
    const { status, stdout } = spawnSync(called.program, [...called.args], {
      cwd: folder,
      env: called.environment,
      encoding: "utf8",
      timeout: PROOF_TIMEOUT,
    });
    server.close();
    const lines = stdout.split("\n");
    const written = (...places: readonly string[]) =>
      places.map((place) => join(place, mark)).filter((path) => existsSync(path));
    const left = written(root, home, "/", join(root, ".git"), join(root, ".pawl"));
    for (const path of left) rmSync(path, { force: true });
    const isPrinted = (what: string) => lines.includes(what);
    const tried = [
      { what: "to write the project", held: left.length === 0 && !isPrinted("wrote settings") },
      { what: "to write HOME", held: !left.some((path) => path === join(home, mark)) },
      { what: "to read ~/.ssh", held: !isPrinted("read ~/.ssh") },
      { what: "to see Pawl's own files and other workspaces", held: !isPrinted("read .pawl") },
      {
        what: "to see other processes",
        held: Number(/^processes (\d+)$/m.exec(stdout)?.[1] ?? 999) <= OWN_PROCESSES,
      },
      { what: "to reach sockets below /run", held: !isPrinted("read /run") },
      ...(settings.network === "all"
        ? []
        : [{ what: "to reach servers of this machine", held: !isPrinted("reached a server") }]),
    ];
    const { program } = probe(setup.environment);
    mkdirSync(join(scratch, "planted"));
    const isPlanted = program !== null && followsPlanted(program, join(scratch, "planted"));
    // A script that did not run proves nothing.
    return {
      kind: "bwrap",
      tried: tried.map((each) => ({ ...each, held: each.held && status === 0 && isPrinted("ran") })),
      ...(isPlanted ? { fault: PLANTED } : {}),
    };
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

const PLANTED =
  "This bubblewrap makes files outside where an agent has planted a link (CVE-2026-87766). Pawl looks at each link first; update bubblewrap for other programs that use it.";

const SCRIPT = `
for place in "$1" "$HOME" / "$1/.git" "$1/.pawl"; do (: > "$place/$2"); done 2>/dev/null
[ -f "$1/pawl.yaml" ] && (: >> "$1/pawl.yaml") 2>/dev/null && echo wrote settings
[ -n "$(ls -A ~/.ssh 2>/dev/null)" ] && echo read '~/.ssh'
[ -n "$(ls -A "$1/.pawl" 2>/dev/null)" ] && echo read .pawl
[ -n "$(find /run -type s 2>/dev/null)" ] && echo read /run
echo processes "$(ls -d /proc/[0-9]* | wc -l)"
"$3" -e "$4" "$5" 2>/dev/null && echo reached a server
echo ran
`;

const CONNECT =
  'require("net").connect(+process.argv[1], "127.0.0.1").on("connect", () => process.exit(0)).on("error", () => process.exit(1))';
