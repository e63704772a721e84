import { openByText } from "../../core/text/by-text.ts";
import type { Decision } from "../../engine/workflow.ts";

/**
 * A file of replies of one kind: a layout, and the blocks with which each reply fills it. All are templates.
 */
export interface ReplyFile {
  readonly layout: string;
  /** By reply, then by the block's name in the layout: `next_steps`. */
  readonly replies: ReadonlyMap<string, Readonly<Record<string, string>>>;
}

/** The file, below `spells/`, with the reply of the decided rule. */
export function replyFileOf({ rule, after }: Pick<Decision, "after" | "rule">): string {
  const asks = rule.outcome === "moved" && after.state.startsWith("PR_CONFIRM_");
  return `replies/${asks ? "confirmation" : rule.outcome}.md`;
}

export const REPLY_FILES = ["moved", "confirmation", "blocked", "no-effect", "shown"].map(
  (name) => `replies/${name}.md`,
);

/**
 * A small cache is enough, because the files come with the program, and each reply needs one of these few.
 */
const parsed = openByText<ReplyFile>(16);

/**
 * Parses a file. `# ID, ID` names the replies to which the blocks below it belong, `## Next Steps` a block.
 */
export function parseReplyFile(text: string): ReplyFile {
  return parsed(text, () => parse(text));
}

function parse(text: string): ReplyFile {
  const [layout = "", ...sections] = text.split(/^# /m);
  const replies = new Map<string, Record<string, string>>();
  for (const section of sections) {
    const [ids = "", ...blocks] = section.split(/^## /m);
    for (const id of ids.trim().split(", ")) {
      const stored = replies.get(id) ?? {};
      replies.set(id, stored);
      for (const block of blocks) {
        const [heading = ""] = block.split("\n", 1);
        stored[heading.toLowerCase().replaceAll(" ", "_")] = block.slice(heading.length).trim();
      }
    }
  }
  return { layout, replies };
}
