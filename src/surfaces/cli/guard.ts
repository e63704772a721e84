import { PawlError } from "../../core/error.ts";
import type { Run } from "./command.ts";

/** Reached only with other options before it: a client's hook is answered before the command line is read. */
export const guard: Run = async (_, { arguments: { client } }) => {
  throw new PawlError(
    "usage",
    "`pawl guard` takes nothing but the client and its event: a client's hook calls it, with the call on standard input.",
    `Write \`pawl guard ${client}\` into the client's hook.`,
  );
};
