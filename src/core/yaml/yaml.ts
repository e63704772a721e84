/**
 * The only reader of the project's YAML files. The author of a file may be hostile: a text that would cost
 * too much memory or time is a fault with a place, like any other. A megabyte takes less than two seconds,
 * whatever it contains.
 *
 * Y1  A file is at most 4 MB and nests at most 100 deep. It has at most 700,000 tokens, or 0.4 per character
 *     if that is more. This is checked before parsing.
 * Y2  Aliases expand to at most 1,000,000 values in all, and none contains itself.
 * Y3  Where the library compares all pairs (the keys of a map, aliases with anchors), a lookup replaces it.
 * Y4  The parser stops after 1,000 faults.
 */
import {
  type Alias,
  Composer,
  type Document,
  isAlias,
  isScalar,
  Lexer,
  LineCounter,
  type Node,
  Parser,
  parseDocument,
  type Tags,
  visit,
  YAMLParseError,
} from "yaml";

interface YamlFault {
  readonly offset: number;
  /** Line and column count from 1. */
  readonly line: number;
  readonly column: number;
  readonly code: string;
  /** Without a place and a full stop. */
  readonly message: string;
}

export interface ReadYaml {
  /** Empty if the text is too large or too deep. */
  readonly document: Document;
  readonly lines: LineCounter;
  /** Why the file cannot be read; then `data` is null. */
  readonly faults: readonly YamlFault[];
  /** The whole file as plain data; null also for an empty file. */
  readonly data: unknown;
}

const MAX_BYTES = 4_000_000;
const MAX_DEPTH = 100;
const MAX_VALUES = 1_000_000;
const MAX_TOKENS = 700_000;
/** Tokens per character that a larger file may have. No list of tasks comes near. */
const DENSEST = 0.4;
const MAX_FAULTS = 1_000;
const MAX_VALUES_SHOWN = "1,000,000";

/** Reads a file of one document. `merge`: `<<` merges maps. Never throws because of the text. */
export function readYaml(text: string, { merge = false } = {}): ReadYaml {
  const lines = new LineCounter();
  const excess = tooLarge(text) ?? tooMuch(text);
  if (excess) {
    for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) lines.addNewLine(at + 1);
    lines.lineStarts.unshift(0);
    return { document: parseDocument(""), lines, faults: [placed(lines, excess)], data: null };
  }
  const document = withoutStacks(() => parse(text, lines, merge));
  // Each alias begins with `*`.
  if (text.includes("*")) resolveAliases(document);
  const found = document.errors.map(({ pos, code, message }) => ({
    offset: pos[0],
    code,
    message: oneLine(message),
  }));
  const all = [...found, ...repeatedKeys(document)];
  const conflict = all.length > 0 ? conflictIn(text) : null;
  const faults = (conflict ? [conflict] : all.slice(0, MAX_FAULTS)).map((each) => placed(lines, each));
  if (faults.length > 0) return { document, lines, faults, data: null };
  const expanded = expand(document, text);
  return "fault" in expanded
    ? { document, lines, faults: [placed(lines, expanded.fault)], data: null }
    : { document, lines, faults, data: expanded.data };
}

/** Like the library's own `parseDocument`, but stops after the number of faults that are reported. */
function parse(text: string, lines: LineCounter, merge: boolean): Document {
  const composer = new Composer({
    merge,
    prettyErrors: false,
    uniqueKeys: false,
    resolveKnownTags: false,
    customTags: (tags) => tags.filter(isPlain),
  });
  let first: Document | null = null;
  for (const document of composer.compose(tokensOf(text, lines), true, text.length)) {
    if (first !== null) {
      const [start = 0, end = 0] = document.range ?? [];
      first.errors.push(new YAMLParseError([start, end], "MULTIPLE_DOCS", "A second document begins"));
      break;
    }
    first = document as Document;
  }
  return first ?? parseDocument("");
}

/** Leaves out ordered maps and sets: the library compares all pairs of their keys. */
function isPlain(tag: Tags[number]): boolean {
  return typeof tag === "string" || tag.collection === undefined || tag.default === true;
}

function* tokensOf(text: string, lines: LineCounter): ReturnType<Parser["parse"]> {
  let faults = 0;
  for (const token of new Parser(lines.addNewLine).parse(text)) {
    yield token;
    if (token.type === "error" && ++faults === MAX_FAULTS) return;
  }
}

function repeatedKeys(document: Document): readonly UnplacedFault[] {
  const repeated: UnplacedFault[] = [];
  visit(document, {
    Map(_, { items }) {
      const keys = new Set<unknown>();
      for (const { key } of items) {
        if (!isScalar(key)) continue;
        if (keys.has(key.value))
          repeated.push({
            offset: key.range?.[0] ?? 0,
            code: "DUPLICATE_KEY",
            message: "Map keys must be unique",
          });
        keys.add(key.value);
        if (repeated.length === MAX_FAULTS) return visit.BREAK;
      }
      return undefined;
    },
  });
  return repeated;
}

/** For each alias, the library would search all anchors of a document. */
function resolveAliases(document: Document): void {
  const anchored = new Map<string, Node>();
  visit(document, {
    Node(_, node) {
      if (isAlias(node)) resolveTo(node, anchored.get(node.source));
      else if (node.anchor !== undefined) anchored.set(node.anchor, node);
    },
  });
}

function resolveTo(alias: Alias, target: Node | undefined): void {
  const { resolve } = alias;
  const cache = target ? [target] : [];
  alias.resolve = (document, context) =>
    context ? resolve.call(alias, document, { ...context, aliasResolveCache: cache }) : (target as Resolved);
}

type Resolved = ReturnType<Alias["resolve"]>;

/** Parses without stack traces in errors: the parser makes one for each fault, possibly one per character. */
function withoutStacks<T>(work: () => T): T {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    return work();
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

/** What git leaves in a file that both sides of a merge changed. */
function conflictIn(text: string): UnplacedFault | null {
  const marker = /^<{7} .*$/m.exec(text);
  if (marker === null || !/^>{7} /m.test(text)) return null;
  const message = "git left a merge conflict here: keep one of the two versions, and delete its marks";
  return { offset: marker.index, code: "CONFLICT", message };
}

type UnplacedFault = Pick<YamlFault, "offset" | "code" | "message">;

function placed(lines: LineCounter, fault: UnplacedFault): YamlFault {
  const { line, col } = lines.linePos(fault.offset);
  return { ...fault, line: Math.max(line, 1), column: Math.max(col, 1) };
}

function oneLine(message: string): string {
  return message.replace(/\s+/g, " ").replace(/\.$/, "").trim();
}

function tooLarge(text: string): UnplacedFault | null {
  // A character has at least one byte.
  const bytes = text.length > MAX_BYTES ? text.length : new TextEncoder().encode(text).length;
  if (bytes <= MAX_BYTES) return null;
  return { offset: 0, code: "TOO_LARGE", message: `it has more than ${MAX_BYTES / 1_000_000} MB` };
}

const OPENS: ReadonlySet<string> = new Set(["[", "{"]);
const CLOSES: ReadonlySet<string> = new Set(["]", "}"]);
const NESTS: ReadonlySet<string> = new Set(["-", "?"]);

/**
 * The parser's time and stack grow without limit with the depth. This counts brackets, and the indicators
 * that nest on one line. Across lines each level needs its own indent, so the number of indents bounds the
 * depth.
 */
function tooMuch(text: string): UnplacedFault | null {
  if (isSmall(text)) return null;
  const most = Math.max(MAX_TOKENS, Math.floor(text.length * DENSEST));
  let offset = 0;
  let tokens = 0;
  let brackets = 0;
  let onLine = 0;
  const indents: number[] = [];
  for (const token of new Lexer().lex(text)) {
    if (OPENS.has(token)) brackets += 1;
    else if (CLOSES.has(token)) brackets = Math.max(0, brackets - 1);
    else if (NESTS.has(token) && brackets === 0) onLine += 1;
    else if (token.startsWith("\n") || token.startsWith("\r")) onLine = 0;
    if (isIndent(text, offset, token)) countIndent(indents, token.length);
    if (brackets + onLine + indents.length > MAX_DEPTH)
      return { offset, code: "TOO_DEEP", message: `its values nest more than ${MAX_DEPTH} deep` };
    tokens += isMark(token) ? 0 : 1;
    if (tokens > most)
      return {
        offset,
        code: "TOO_MANY_TOKENS",
        message: `it has more than ${most.toLocaleString("en")} words and signs`,
      };
    offset += isMark(token) ? 0 : token.length;
  }
  return null;
}

/** Whether it has too few lines and signs to exceed the limits of nesting and tokens. */
function isSmall(text: string): boolean {
  if (text.length > MAX_TOKENS / 2) return false;
  let signs = 1;
  for (let at = 0; at < text.length && signs <= MAX_DEPTH; at++) {
    const sign = text[at] as string;
    if (sign === "\n" || OPENS.has(sign) || NESTS.has(sign)) signs += 1;
  }
  return signs <= MAX_DEPTH;
}

/** The lexer's own tokens, which match no character of the text. */
function isMark(token: string): boolean {
  return token === "\u0002" || token === "\u0018" || token === "\u001f";
}

function isIndent(text: string, offset: number, token: string): boolean {
  return token.startsWith(" ") && (offset === 0 || text[offset - 1] === "\n");
}

function countIndent(indents: number[], width: number): void {
  while ((indents.at(-1) ?? 0) >= width && indents.length > 0) indents.pop();
  indents.push(width);
}

/** The document as plain data. An alias is the same object as the value that it names. */
function expand(
  document: Document,
  text: string,
): { readonly data: unknown } | { readonly fault: UnplacedFault } {
  const alias = text.includes("*") ? firstAlias(document) : null;
  try {
    const data: unknown = document.toJS({ maxAliasCount: -1 });
    if (alias === null) return { data };
    return countOf(data) <= MAX_VALUES ? { data } : { fault: { ...alias, ...TOO_MANY } };
  } catch (cause) {
    const message = oneLine(cause instanceof Error ? cause.message : String(cause));
    return { fault: { offset: alias?.offset ?? 0, code: "UNREADABLE", message } };
  }
}

const TOO_MANY = {
  code: "TOO_MANY_ALIASES",
  message: `its aliases expand to more than ${MAX_VALUES_SHOWN} values, or contain themselves`,
} as const;

function firstAlias(document: Document): { readonly offset: number } | null {
  let alias: { readonly offset: number } | null = null;
  visit(document, {
    Alias(_, node) {
      alias = { offset: isAlias(node) ? (node.range?.[0] ?? 0) : 0 };
      return visit.BREAK;
    },
  });
  return alias;
}

/** How many values a walk visits if it follows shared ones each time; infinite if a value contains itself. */
function countOf(data: unknown): number {
  const anchors = new Map<object, number>();
  const count = (value: unknown): number => {
    if (typeof value !== "object" || value === null) return 1;
    const before = anchors.get(value);
    if (before !== undefined) return before;
    anchors.set(value, Number.POSITIVE_INFINITY);
    const total = Object.values(value).reduce<number>((sum, each) => sum + count(each), 1);
    anchors.set(value, total);
    return total;
  };
  return count(data);
}
