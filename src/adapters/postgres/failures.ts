/** Errors of Pawl's own functions in the database, in words. */
import { PawlError } from "../../core/error.ts";
import type { Address } from "./address.ts";
import { sqlStateOf } from "./connections.ts";

export function removedProjectError({ shown }: Pick<Address, "shown">): PawlError {
  return new PawlError(
    "database-project-missing",
    `The database ${shown} no longer has this project: it was removed.`,
    "Make sure that PAWL_DATABASE_URL names the right database, or import the project with `pawl database import`.",
  );
}

/** `changed`: a move's target exists. */
export function refusalOf(address: Pick<Address, "shown">, thrown: unknown): PawlError | "changed" | null {
  const path = (thrown as { readonly detail?: string }).detail;
  switch (sqlStateOf(thrown)) {
    case "PW001":
      return "changed";
    case "PW002":
      return new PawlError(
        "state-unreadable",
        `${path} cannot be written: a document is where a folder is needed, or a folder where a document is.`,
        "Move the other one away, then run the command again.",
        thrown,
      );
    case "PW003":
      return new PawlError(
        "state-unreadable",
        `${path} cannot be moved: expected a document, found none.`,
        `Restore ${path}, or run \`pawl status\` to see the state of the run.`,
        thrown,
      );
    case "PW004":
      return removedProjectError(address);
    default:
      return null;
  }
}
