/** The review that a client shows: what of it is heavy is loaded when it is shown. */
import { readFileSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { boardOf } from "../config/board-file.ts";
import type { Environment } from "../config/config.ts";
import { stateFolder } from "../config/state-home.ts";
import { attempt } from "../core/attempt.ts";
import { PawlError } from "../core/error.ts";
import { projectKey } from "../surfaces/board/server/projects.ts";
import type { AppPorts } from "../surfaces/mcp/app/ports.ts";

/** `home`: the folder of the program's own files; `root`: of the project. */
export function clientApp(home: string, root: string, environment: Environment): AppPorts {
  return {
    reviewAddress(run) {
      const real = realpathSync(root);
      const board = boardOf(stateFolder(real, environment));
      return board && `${board.url}#/${projectKey(real)}/review/${encodeURIComponent(run)}`;
    },
    document: () => documentIn(home),
    coloursOf: async (...of) => (await import("../surfaces/board/server/colours.ts")).coloursOf(...of),
  };
}

/** Beside the bundled program, or where the build puts it for a program that runs from its sources. */
function documentIn(home: string): string {
  for (const place of [home, join(home, "..", "dist")]) {
    const text = attempt(() => readFileSync(join(place, "app", "review.html"), "utf8"), null);
    if (text !== null) return text;
  }
  throw new PawlError(
    "internal",
    `This installation of Pawl lacks app/review.html in ${home}.`,
    "Install Pawl anew.",
  );
}
