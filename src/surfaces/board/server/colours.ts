/**
 * Colours for a difference, by shiki. Each side of a hunk is tokenized on its own, because the rest of the
 * file is not available: colours may be wrong inside a comment or string that begins before the hunk, until
 * it ends.
 */
import {
  createHighlighterCore,
  type GrammarState,
  type HighlighterCore,
  type ThemeRegistrationRaw,
} from "@shikijs/core";
import { createJavaScriptRegexEngine } from "@shikijs/engine-javascript";
import type { Colours, FileDiff } from "../wire.ts";
import { LANGUAGES, languageOf } from "./languages.ts";

/** The class of each scope. A theme can name only colours, so each class has a colour of its own. */
const CLASSES = {
  comment: ["comment", "punctuation.definition.comment"],
  string: ["string", "punctuation.definition.string", "markup.inline.raw", "markup.fenced_code"],
  number: ["constant.numeric", "constant.language", "constant.character"],
  keyword: ["keyword", "storage", "keyword.operator.new", "keyword.operator.expression"],
  function: ["entity.name.function", "support.function", "meta.function-call.generic"],
  type: ["entity.name.type", "entity.name.class", "support.type", "support.class", "entity.name.namespace"],
  tag: ["entity.name.tag", "markup.heading", "entity.name.section"],
  attribute: ["entity.other.attribute-name", "support.type.property-name", "meta.property-name"],
} as const;

const NAMES = Object.keys(CLASSES) as (keyof typeof CLASSES)[];
const PLAIN = "#000000";
const colourOf = (at: number) => `#0000${String(at + 1).padStart(2, "0")}`;
const THEME: ThemeRegistrationRaw = {
  name: "classes",
  fg: PLAIN,
  bg: "#ffffff",
  settings: NAMES.map((name, at) => ({ scope: [...CLASSES[name]], settings: { foreground: colourOf(at) } })),
};
const CLASS_OF: ReadonlyMap<string, string> = new Map(NAMES.map((name, at) => [colourOf(at), name]));

/** Limits for one patch and for one line; longer ones are not coloured. */
const MAX_CHARACTERS = 200_000;
const LONGEST_LINE = 1000;
const MAX_LINES = 50_000;
/** Milliseconds, because a grammar may be slow on unusual text. */
export interface Limits {
  /** For one line; the rest of the line stays uncoloured. 0: no limit. */
  readonly line: number;
  /** For the whole, approximately; beyond that there are no colours. */
  readonly whole: number;
}
const LIMITS: Limits = { line: 500, whole: 2000 };
/** Lines per batch, before other requests get their turn. */
const LINES_AT_ONCE = 100;

let opened: Promise<HighlighterCore> | undefined;

/** Null: the language is unknown, or the patch is too large. */
export async function coloursOf(
  path: string,
  patch: string,
  limits: Limits = LIMITS,
): Promise<FileDiff["colours"]> {
  const language = languageOf(path);
  const grammar = LANGUAGES[language ?? ""];
  if (language === null || grammar === undefined || patch === "" || patch.length > MAX_CHARACTERS)
    return null;
  const hunks = hunksIn(patch);
  if (hunks.some(({ before, after }) => before.last > MAX_LINES || after.last > MAX_LINES)) return null;
  opened ??= createHighlighterCore({
    themes: [THEME],
    langs: [],
    engine: createJavaScriptRegexEngine({ forgiving: true }),
  });
  const highlighter = await opened;
  if (!highlighter.getLoadedLanguages().includes(language))
    await highlighter.loadLanguage((await grammar.load()).default);
  const until = performance.now() + limits.whole;
  const read = async (parts: readonly Side[]) => {
    const lines: Colours[] = [];
    for (const { first, texts } of parts) {
      while (lines.length < first - 1) lines.push([]);
      for await (const colours of coloured(highlighter, language, texts, limits.line)) {
        lines.push(...colours);
        if (performance.now() > until) return null;
      }
    }
    return lines;
  };
  const before = await read(hunks.map((hunk) => hunk.before));
  const after = before && (await read(hunks.map((hunk) => hunk.after)));
  return before && after && { before, after };
}

async function* coloured(
  highlighter: HighlighterCore,
  lang: string,
  texts: readonly string[],
  tokenizeTimeLimit: number,
): AsyncGenerator<readonly Colours[]> {
  const limits = { tokenizeMaxLineLength: LONGEST_LINE, tokenizeTimeLimit };
  let state: GrammarState | undefined;
  for (let at = 0; at < texts.length; at += LINES_AT_ONCE) {
    const { tokens, grammarState } = highlighter.codeToTokens(
      texts.slice(at, at + LINES_AT_ONCE).join("\n"),
      {
        ...{ lang, theme: THEME.name ?? "", ...limits },
        ...(state && { grammarState: state }),
      },
    );
    state = grammarState;
    yield tokens.map(partsOf);
    await new Promise((next) => setImmediate(next));
  }
}

function partsOf(line: readonly { readonly color?: string; readonly content: string }[]): Colours {
  const parts: [number, string][] = [];
  for (const { color, content } of line) {
    const name = CLASS_OF.get(color?.toLowerCase() ?? "") ?? "";
    const last = parts.at(-1);
    if (last?.[1] === name) last[0] += content.length;
    else parts.push([content.length, name]);
  }
  return parts;
}

interface Side {
  /** The number of its first line, from 1. */
  readonly first: number;
  readonly last: number;
  readonly texts: readonly string[];
}

const HUNK = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/;

function hunksIn(patch: string): readonly { readonly before: Side; readonly after: Side }[] {
  const hunks: { before: [number, string[]]; after: [number, string[]] }[] = [];
  for (const line of patch.split("\n")) {
    const match = HUNK.exec(line);
    if (match) hunks.push({ before: [Number(match[1]), []], after: [Number(match[2]), []] });
    const hunk = match ? undefined : hunks.at(-1);
    if (!hunk) continue;
    const [sign, text] = [line[0], line.slice(1)];
    if (sign === "-" || sign === " ") hunk.before[1].push(text);
    if (sign === "+" || sign === " ") hunk.after[1].push(text);
  }
  const part = ([first, texts]: [number, string[]]): Side => ({ first, texts, last: first + texts.length });
  return hunks.map(({ before, after }) => ({ before: part(before), after: part(after) }));
}
