// Writes src/workflows/spells/reply-names.ts from the files in replies/, so that `pawl check spells` can match replies
// and rows without a look at the disk. Run it after adding or removing a reply.
import { readdirSync, writeFileSync } from "node:fs";

const folder = new URL("../src/workflows/spells/", import.meta.url);
const names = readdirSync(new URL("replies/", folder))
  .filter((name) => name.endsWith(".md"))
  .map((name) => name.slice(0, -3))
  .sort(new Intl.Collator("en", { numeric: true }).compare);
const lines = names.map((name) => `  "${name}",`).join("\n");
const text = `/** The replies in replies/. Written by scripts/spells-replies.ts. */
export const REPLY_NAMES: readonly string[] = [
${lines}
];
`;
writeFileSync(new URL("reply-names.ts", folder), text);
