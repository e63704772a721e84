/** The review that a client shows: what of it is heavy is loaded when it is shown. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { attempt } from "../core/attempt.ts";
import { PawlError } from "../core/error.ts";
import type { AppPorts } from "../surfaces/mcp/app/ports.ts";

/** `home`: the folder of the program's own files. */
export function clientApp(home: string): AppPorts {
  return {
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
