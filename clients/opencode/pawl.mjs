// Starts Pawl for a client: the program that this folder brings, the package around it, or the `pawl` on the PATH. Never one
// of the project's own: a clone may hold any program of that name.
import { spawn } from "node:child_process";
import { accessSync, constants, readFileSync, realpathSync } from "node:fs";
import { constants as system } from "node:os";
import { delimiter, dirname, isAbsolute, join, sep } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const [, , ...words] = process.argv;

function isPawl(folder) {
  try {
    return JSON.parse(readFileSync(join(folder, "package.json"), "utf8")).name === "pawl";
  } catch {
    return false;
  }
}

function isReachable(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function onPath() {
  const project = realpathSync(process.cwd()) + sep;
  for (const folder of (process.env.PATH ?? "").split(delimiter)) {
    const program = join(folder, "pawl");
    if (isAbsolute(folder) && isReachable(program) && !realpathSync(program).startsWith(project))
      return program;
  }
  return null;
}

function startFrom(folder) {
  const main = join(folder, "dist/main.js");
  process.argv[1] = main;
  return import(pathToFileURL(main).href);
}

function startOther(program) {
  const child = spawn(program, words, { stdio: "inherit" });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
  child.on("exit", (code, signal) => {
    process.exitCode = code ?? 128 + (system.signals[signal] ?? 0);
  });
}

/** Some clients start a plugin's server in the plugin's own folder: that is nobody's project. */
function isAstray() {
  const inside = (realpathSync(process.cwd()) + sep).startsWith(realpathSync(here) + sep);
  return words[0] === "mcp" && inside && !process.env.PAWL_PROJECT;
}

const folder = [join(here, "program"), join(here, "../..")].find(isPawl);
const program = folder ? null : onPath();
if (isAstray()) {
  process.stderr.write(
    "pawl: This client starts Pawl in the plugin's folder, and does not say where your project is. [usage]\n" +
      "fix:  Name the project with $PAWL_PROJECT, or run `pawl init --client NAME` in it instead.\n",
  );
  process.exitCode = 2;
} else if (folder) await startFrom(folder);
else if (program) startOther(program);
else {
  process.stderr.write(
    "pawl: This plugin brings no program, and there is no `pawl` on the PATH. [usage]\n" +
      "fix:  Install Pawl globally, or install the plugin from a bundle that brings it; docs/clients.md has both.\n",
  );
  // Without the program there is no run that a hook could guard: it lets everything through.
  process.exitCode = words[0] === "guard" ? 0 : 2;
}
