// Writes src/workflows/spells/reply-names.ts from the files in replies/, so that `pawl check spells` can match replies
// and rows without a look at the disk. Run it after adding or removing a reply.
import { readFileSync, writeFileSync } from "node:fs";
import { parseReplyFile, REPLY_FILES } from "../src/workflows/spells/reply-file.ts";

const folder = new URL("../src/workflows/spells/", import.meta.url);
const names = REPLY_FILES.flatMap((name) => [
  ...parseReplyFile(readFileSync(new URL(name, folder), "utf8")).replies.keys(),
]).sort(new Intl.Collator("en", { numeric: true }).compare);
const lines = names.join(" ").replace(/(.{1,100})(?: |$)/g, "  $1\n");
const text = [
  "/** The replies in replies/. Written by scripts/spells-replies.ts. */",
  "export const REPLY_NAMES: readonly string[] = `",
  `${lines}\`.match(/\\w+/g) ?? [];\n`,
].join("\n");
writeFileSync(new URL("reply-names.ts", folder), text);
