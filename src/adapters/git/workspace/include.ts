/**
 * `.worktreeinclude` of the person's checkout: patterns as in `.gitignore`, for ignored files that a
 * workspace needs too, such as `.env`. Only what git ignores and is a plain file is copied, and no link is
 * followed, neither on the way to it nor to its place. What is secret in them is masked in what programs print there.
 */
import { join } from "node:path";
import { attempt } from "../../../core/attempt.ts";
import type { AgentFolder } from "../../../core/ports/worktrees.ts";
import { putIn } from "../../files/agent-folder.ts";
import { readPlainText } from "../../files/plain-file.ts";
import { noteIncluded } from "../../process/included-secrets.ts";
import { discover } from "../discover.ts";
import { type GitCall, git } from "../git.ts";

const NAME = ".worktreeinclude";
const MAX_BYTES = 1024 * 1024;

export async function bringIncluded(from: GitCall, top: AgentFolder): Promise<void> {
  const checkout = discover(from.folder)?.top;
  // Git would wait for a pipe, and read gigabytes.
  if (checkout == null || attempt(() => readPlainText(join(checkout, NAME), MAX_BYTES), "") === "") return;
  const call: GitCall = { ...from, folder: checkout };
  const patterns = ["--others", "--ignored", `--exclude-from=${join(checkout, NAME)}`];
  const listed = await git(call, ["ls-files", "-z", ...patterns]);
  if (listed.output === "") return;
  const ignored = await git({ ...call, accept: [1], input: listed.output }, [
    "check-ignore",
    "-z",
    "--stdin",
  ]);
  const paths = ignored.output.split("\0").filter(Boolean);
  noteIncluded(top, { from: checkout, paths });
  for (const path of paths) attempt(() => putIn(top, path, checkout), undefined);
}
