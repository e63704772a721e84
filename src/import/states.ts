/**
 * The meanings of the sources' words and boxes for a status. Pawl never guesses an unknown word: the work may
 * be finished, so the task is blocked until a person gives the word's meaning.
 */

import { PawlError } from "../core/error.ts";
import type { Checkbox } from "../core/text/checkbox.ts";
import { isOpenStatus } from "../tasks-file/task.ts";
import type { Read, SourceItem, SourceStatus, State } from "./source.ts";

const STATUSES: Readonly<Record<SourceStatus, string>> = {
  todo: "todo open opened new pending backlog ready planned notstarted draft drafted unstarted proposed triage queued created reopened unscheduled selectedfordevelopment readyfordev future upcoming incomplete 未着手 待办 未开始 待处理",
  in_progress:
    "inprogress doing started active wip working ongoing review inreview readyforreview codereview testing intesting qa indevelopment underreview inqa current 進行中 进行中 作業中",
  blocked:
    "blocked deferred onhold hold paused waiting stuck impeded postponed later icebox someday hooked pinned 保留 阻塞",
  done: "done completed complete closed finished resolved fixed merged released shipped verified archived passed passing ticked 完了 完成 已完成",
  cancelled:
    "cancelled canceled wontdo wontfix skipped skip rejected abandoned dropped obsolete invalid duplicate notplanned superseded removed deleted discarded 中止 取消 已取消",
};
const BY_WORD = new Map(
  Object.entries(STATUSES).flatMap(([status, words]) =>
    words.split(" ").map((word) => [word, status as SourceStatus] as const),
  ),
);
/** Words that mean no more than Pawl's own statuses. */
const SAME = new Set(
  "todo open opened new pending notstarted backlog inprogress doing started blocked done completed complete closed cancelled canceled".split(
    " ",
  ),
);

/** Normalizes a word for comparison: lower-case, without punctuation; a word of punctuation alone stays. */
export function bare(word: string): string {
  const letters = word
    .toLowerCase()
    .slice(0, 100)
    .replace(/[^\p{L}\p{N}]+/gu, "");
  return letters === "" ? word.trim().slice(0, 100) : letters;
}

export function stateOf(word: string): State {
  if (word.trim() === "") return { status: "todo" };
  const status = BY_WORD.get(keyOf(word));
  return status === undefined
    ? { status: "blocked", word: word.trim(), isUnknown: true }
    : { status, word: word.trim() };
}

/** By which a status is known: a sign that speaks against its letters (`Done?`, `Ready ✅`) makes it another word. */
function keyOf(word: string): string {
  const key = bare(word);
  const status = BY_WORD.get(key);
  const isTicked = status !== "done" && /[✅✔✓☑]/u.test(word);
  const isDoubted = status !== "cancelled" && status !== "blocked" && /[?？❌✗✘✖❎]|~~/u.test(word);
  return isTicked || isDoubted ? word.trim().toLowerCase().slice(0, 100) : key;
}

const MARKS: Readonly<Record<string, SourceStatus>> = {
  "": "todo",
  "!": "todo",
  "~": "in_progress",
  "/": "in_progress",
  ">": "in_progress",
  "✗": "cancelled",
  "✘": "cancelled",
};
const TICK = /^(?:✅|✔|✓|☑)/u;

/** `dash`: the format's meaning of `[-]`; absent: unknown. */
export function stateOfBox(box: Checkbox | null, dash?: SourceStatus): State {
  if (box === null) return { status: "todo" };
  const { isPlain, mark } = box;
  if (isPlain || TICK.test(mark)) return { status: mark === "" ? "todo" : "done" };
  const status = mark === "-" ? dash : MARKS[mark];
  if (status !== undefined) return { status };
  const state = /^\p{L}{2,}|^n\/a$/iu.test(mark) ? stateOf(mark) : null;
  return state ?? { status: "blocked", word: mark === "x" ? "[ x ]" : `[${mark}]`, isUnknown: true };
}

// ── A person's own words ─────────────────────────────────────────────────────────────────────────────────────────

/** The meaning that a person gave each normalized word. */
export type StatusMap = ReadonlyMap<string, SourceStatus>;

/** Parses arguments such as `Erledigt=done`. Throws `usage`. */
export function parseStatuses(given: readonly string[]): Readonly<Record<string, SourceStatus>> {
  return Object.fromEntries(
    given.map((each) => {
      const at = each.lastIndexOf("=");
      const [word, status] = [each.slice(0, at).trim(), each.slice(at + 1).trim()];
      if (at > 0 && word !== "" && isStatus(status)) return [word, status];
      throw new PawlError(
        "usage",
        `--status takes a word of the source and what it means: expected WORD=STATUS, found ${JSON.stringify(each)}.`,
        `Write for instance --status "Erledigt=done"; the statuses are ${Object.keys(STATUSES).join(", ")}.`,
      );
    }),
  );
}

export function isStatus(value: unknown): value is SourceStatus {
  return typeof value === "string" && Object.hasOwn(STATUSES, value);
}

export function openStatuses(words: Readonly<Record<string, SourceStatus>>): StatusMap {
  return new Map(Object.entries(words).map(([word, status]) => [keyOf(word), status]));
}

/** Applies the person's meanings to each status; counts words that are still unknown. */
export function settleStates({ remarks, tasks }: Read, statuses: StatusMap): Read {
  const unknown = new Map<string, { readonly word: string; readonly status: SourceStatus; count: number }>();
  const settle = <Item extends SourceItem>({
    isUnknown,
    word,
    ...item
  }: Item): Omit<Item, "word" | "isUnknown"> => {
    if (word === undefined) return item;
    const named = statuses.get(keyOf(word));
    const status = named ?? item.status;
    if (named === undefined && isUnknown) {
      const key = `${word} ${status}`;
      const cached = unknown.get(key);
      if (cached) cached.count += 1;
      else unknown.set(key, { word, status, count: 1 });
    }
    const isSame = SAME.has(keyOf(word)) && named === undefined;
    const notes = isSame ? item.notes : [`Its status in the source: ${word}`, ...item.notes];
    return { ...item, status, notes };
  };
  const settled = tasks.map((task) => {
    const steps = task.steps.map(settle);
    const isOver = steps.length > 0 && !steps.some(({ status }) => isOpenStatus(status));
    const settled = settle(isOver && task.status === "todo" ? { ...task, status: "done" } : task);
    // A step cannot be blocked alone, so its task is.
    const waits = steps.filter(({ status }) => status === "blocked");
    if (waits.length === 0 || settled.status === "cancelled") return { ...settled, steps };
    const notes = waits.flatMap(({ id, notes: texts }) => texts.map((note) => `${id}: ${note}`));
    return { ...settled, steps, status: "blocked" as const, notes: [...settled.notes, ...notes] };
  });
  return { tasks: settled, remarks: [...remarks, ...unknownWords([...unknown.values()])] };
}

function unknownWords(
  unknown: readonly { readonly word: string; readonly status: SourceStatus; readonly count: number }[],
): readonly string[] {
  const [first] = unknown;
  if (first === undefined) return [];
  const counts = unknown.map(
    ({ count, status, word }) => `${word.slice(0, 80)} (${count}, taken as ${status})`,
  );
  return [
    `Statuses that Pawl does not know: ${counts.join(", ")}. Say what they mean, and the next import knows it too: --status ${JSON.stringify(`${first.word}=STATUS`)} (${Object.keys(STATUSES).join(", ")}).`,
  ];
}
