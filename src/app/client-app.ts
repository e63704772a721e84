/** The review that a client shows; its heavy parts are loaded on first use. */
import { readFileSync, realpathSync } from "node:fs";
import { boardOf } from "../config/board-file.ts";
import type { Environment } from "../config/config.ts";
import { stateFolder } from "../config/state-home.ts";
import { attempt } from "../core/attempt.ts";
import { PawlError } from "../core/error.ts";
import { projectKey } from "../surfaces/board/server/projects.ts";
import type { AppPorts } from "../surfaces/mcp/connection.ts";
import { builtPaths } from "./built.ts";

/** `home`: the folder of the program's own files; `root`: the project's. */
export function clientApp(home: string, root: string, environment: Environment): AppPorts {
  let place: { readonly real: string; readonly folder: string } | undefined;
  const placeOf = (real: string) => ({ real, folder: stateFolder(real, environment) });
  return {
    reviewAddress(run) {
      place ??= placeOf(realpathSync(root));
      const board = boardOf(place.folder);
      return board && `${board.url}#/${projectKey(place.real)}/review/${encodeURIComponent(run)}`;
    },
    document: () => documentIn(home),
    coloursOf: async (...of) => (await import("../surfaces/board/server/colours.ts")).coloursOf(...of),
  };
}

function documentIn(home: string): string {
  for (const place of builtPaths(home, "app/review.html")) {
    const text = attempt(() => readFileSync(place, "utf8"), null);
    if (text !== null) return text;
  }
  throw new PawlError(
    "internal",
    `This installation of Pawl lacks app/review.html in ${home}.`,
    "Install Pawl anew.",
  );
}
