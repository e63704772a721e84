import type { ReviewCost } from "../../../runtime/review/model.ts";
import { counted } from "./counted.ts";

/** Empty if nothing is known. */
export function costWords({
  minutes,
  tokens,
  tries = null,
  usd,
}: Pick<ReviewCost, "minutes" | "tokens" | "usd"> & Partial<Pick<ReviewCost, "tries">>): string {
  return [
    ...(usd === null ? [] : [`${usd.toFixed(usd > 0 && usd < 0.1 ? 3 : 2)} usd`]),
    ...(tokens === null ? [] : [counted(tokens, "token")]),
    ...(minutes === null ? [] : [minutes === 0 ? "under a minute" : counted(minutes, "minute")]),
    ...(tries === null ? [] : [tries === 1 ? "1 try" : `${tries} tries`]),
  ].join(", ");
}
