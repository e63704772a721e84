import { PawlError } from "../../../core/error.ts";

/** The value of an option that takes a whole number; `to` null: of any size. Throws `usage`. */
export function wholeNumber(
  option: string,
  given: unknown,
  { from, to, fix }: { readonly from: number; readonly to: number | null; readonly fix: string },
): number {
  const number = /^\d{1,9}$/.test(String(given)) ? Number(given) : -1;
  if (number >= from && number <= (to ?? number)) return number;
  throw new PawlError(
    "usage",
    `${option} is ${JSON.stringify(given)}: expected a whole number from ${from} ${to === null ? "on" : `to ${to}`}.`,
    fix,
  );
}

/** The value of `--port`; 0 means any free port. */
export function portNumber(given: unknown): number {
  return wholeNumber("--port", given, { from: 0, to: 65_535, fix: "Name a free port, or 0 for any." });
}
