/**
 * A person accepts the writes of a foreign journal. They become the person's own commit, with exactly the
 * content that was shown; if a file has changed since, the person is asked again.
 */
import { PawlError } from "../../../core/error.ts";
import { projectPath } from "../../../core/path.ts";
import type { Reply, Transaction } from "../../../runtime/module.ts";
import type { ForeignJournal, JournalRepair, Project } from "../../../runtime/project.ts";
import { hasAnswered } from "../../../runtime/transaction/person.ts";
import type { Answer, Host } from "../line/command.ts";
import { counted } from "../terminal/amounts.ts";
import { runAsking } from "../terminal/person.ts";
import { clean } from "../terminal/terminal.ts";
import { changesOf, type FileEdit } from "./edit-files.ts";

export async function acceptJournal(
  host: Host,
  project: Project,
  foreign: JournalRepair["foreign"],
  named: string,
): Promise<Answer> {
  const kept = named.replace(/^\.\//, "");
  if (!foreign.some((each) => each.kept === kept)) throw unknownJournalError(named, foreign);
  const journal = await project.foreignJournal(kept);
  const { reply } = await runAsking(host, project.runtime, acceptTransaction(kept, journal), null);
  journal.setAccepted();
  return { text: `${reply.text}\n`, data: reply.data };
}

function acceptTransaction(
  kept: string,
  journal: ForeignJournal,
): Transaction<null, readonly FileEdit[], undefined, Reply> {
  // The question shortens long texts, but the answer applies to the whole texts.
  let shownQuestion = "";
  return {
    run: () => "pawl:repair",
    async read(view) {
      const all = journal.paths.map(async (given) => {
        const path = projectPath(given);
        const before = await view.read(path);
        return { path, before, after: journal.outcome(path, before) };
      });
      return (await Promise.all(all)).filter(({ after, before }) => before !== after);
    },
    propose(differences, _, __, context) {
      const paths = differences.map(({ path }) => path);
      const data = { kept, paths };
      if (differences.length === 0)
        return { reply: { text: `What ${clean(kept)} would write is there already.`, data } };
      const message = question(kept, differences);
      const whole = JSON.stringify(differences);
      if (whole !== shownQuestion || !hasAnswered(context, message)) {
        shownQuestion = whole;
        return {
          reply: { text: "", data: {} },
          ask: { message, command: `pawl repair --accept ${kept}` },
        };
      }
      const { caller: by, now } = context;
      const { id, time } = now;
      return {
        reply: { text: `Accepted: ${counted(paths.length, "file")} of ${clean(kept)} written.`, data },
        changes: changesOf(differences),
        events: [{ type: "journal:accepted", id, time, kept, paths, by }],
      };
    },
  };
}

function question(kept: string, differences: readonly FileEdit[]): string {
  return [
    `Accept ${kept}? This project did not make it. It changes:`,
    ...differences.flatMap((each) => ["", `  ${each.path}  (${sizes(each)})`, ...shortDiff(each)]),
  ].join("\n");
}

function sizes({ after, before }: FileEdit): string {
  const size = (text: string) => counted(Buffer.byteLength(text), "byte");
  if (before === null) return `new, ${size(after ?? "")}`;
  if (after === null) return `removed, ${size(before)}`;
  return `${size(before)}, then ${size(after)}`;
}

const MAX_LINES = 8;
const MAX_LINE_LENGTH = 160;

/** The differing lines, without the common beginning and end. */
function shortDiff({ after, before }: FileEdit): readonly string[] {
  const old = linesOf(before);
  const fresh = linesOf(after);
  const shorter = Math.min(old.length, fresh.length);
  let start = 0;
  while (start < shorter && old[start] === fresh[start]) start++;
  let end = 0;
  while (end < shorter - start && old.at(-1 - end) === fresh.at(-1 - end)) end++;
  return [
    ...shown("-", old.slice(start, old.length - end)),
    ...shown("+", fresh.slice(start, fresh.length - end)),
  ];
}

function linesOf(text: string | null): readonly string[] {
  return text === null ? [] : text.replace(/\n$/, "").split("\n");
}

function shown(sign: string, lines: readonly string[]): readonly string[] {
  const rest = lines.length - MAX_LINES;
  return [
    ...lines.slice(0, MAX_LINES).map((line) => `    ${sign} ${inShort(line)}`),
    ...(rest > 0 ? [`    ${sign} and ${counted(rest, "line")} more`] : []),
  ];
}

function inShort(line: string): string {
  const rest = line.length - MAX_LINE_LENGTH;
  return rest > 0 ? `${line.slice(0, MAX_LINE_LENGTH)}… and ${counted(rest, "character")} more` : line;
}

function unknownJournalError(named: string, foreign: JournalRepair["foreign"]): PawlError {
  const there = foreign.map(({ kept }) => kept).join(", ");
  return new PawlError(
    "usage",
    `${clean(named)} is not a journal that was set aside: ${there === "" ? "there is none" : `expected ${clean(there)}`}.`,
    "`pawl repair` lists the journals that were set aside.",
  );
}
