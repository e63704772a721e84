/**
 * What a shell's command line would write, what git would do by it, and which of Pawl's verbs and tools it calls. A courtesy to an
 * assistant that goes astray, and no proof: a program writes what it likes.
 */
import type { GitAct } from "../engine/workflow.ts";
import { foundBy } from "./found-words.ts";
import { gitWords } from "./git-words.ts";
import { patchedPaths } from "./patched-paths.ts";
import { MAX_PATH } from "./paths.ts";
import { callOf, type PawlCall } from "./pawl-calls.ts";
import { personVerbOf } from "./person-verbs.ts";
import { type Command, readCommands, type Word } from "./shell-words.ts";
import { onlyWrites, writesOf } from "./written-paths.ts";

export interface ShellWrite {
  /** As written: absolute, or relative to `cwd`. */
  readonly path: string;
  readonly cwd: string;
  /** It takes whole folders away. */
  readonly isDeep: boolean;
  /** The shell finds the files by a pattern. */
  readonly isPattern: boolean;
}

export interface ShellReading {
  readonly writes: readonly ShellWrite[];
  readonly acts: readonly GitAct[];
  readonly verbs: readonly string[];
  /** Of Pawl's tools. */
  readonly calls: readonly PawlCall[];
  /** It is longer, holds more or deeper scripts, or writes more files, than is looked at. */
  readonly isCut: boolean;
}

interface Around {
  readonly cwd: string;
  readonly home: string;
  /** Whether the path is Pawl's own program. */
  isProgram(path: string): boolean;
}

/** How deep scripts inside scripts are followed: `bash -c "bash -c …"`. */
const MAX_SCRIPTS = 6;
/** How many characters of such scripts are read in all. */
const MAX_SCRIPT_LENGTH = 300_000;
const MAX_FOUND = 2000;
/** What a script costs beside its characters. */
const SCRIPT_COST = 100;
/** No shell is given a longer one. */
const MAX_LENGTH = 1_000_000;
/** How many words are compared with Pawl's own program. */
const MAX_PROGRAMS = 200;

export function readShell(command: string, around: Around): ShellReading {
  if (command.length > MAX_LENGTH) return { writes: [], acts: [], verbs: [], calls: [], isCut: true };
  const reading: Reading = {
    ...{ writes: [], acts: new Set(), verbs: new Set(), calls: [], around },
    ...{ scriptsLeft: MAX_SCRIPT_LENGTH, programsLeft: MAX_PROGRAMS, isCut: false },
  };
  readScript(command, around.cwd, reading, 0);
  const { acts, calls, verbs, writes } = reading;
  const isCut = reading.isCut || writes.length >= MAX_FOUND;
  return { writes, acts: [...acts], verbs: [...verbs], calls, isCut };
}

interface Reading {
  readonly writes: ShellWrite[];
  readonly acts: Set<GitAct>;
  readonly verbs: Set<string>;
  readonly calls: PawlCall[];
  readonly around: Around;
  scriptsLeft: number;
  programsLeft: number;
  isCut: boolean;
}

function readScript(script: string, start: string, reading: Reading, level: number): void {
  if (script.trim() === "") return;
  if (level > 0) reading.scriptsLeft -= script.length + SCRIPT_COST;
  if (level > MAX_SCRIPTS || reading.scriptsLeft < 0) reading.isCut = true;
  if (reading.isCut) return;
  const { home } = reading.around;
  const variables = new Map([
    ["HOME", home],
    ["PWD", start],
  ]);
  let cwd = start;
  let before: Command | null = null;
  for (const command of readCommands(script, variables)) {
    add(command.outputs, false, cwd, reading);
    const plain = stripped(command.words);
    const [name, ...args] = plain.words;
    if (name !== undefined) {
      const program = /\s/.test(name.text) ? name.text : baseOf(name.text);
      const texts = args.map(({ text }) => text);
      if (program === "cd" || program === "pushd") cwd = folderAfter(cwd, home, args, command.depth);
      for (const inner of scriptsIn(program, args, command, before)) {
        readScript(inner, cwd, reading, level + 1);
        if (reading.isCut) return;
      }
      const from = plain.folder === null ? cwd : joined(cwd, plain.folder);
      const found = writesOf(program, args);
      if (program === "apply_patch") addPatch([...texts, ...command.inputs], cwd, reading);
      add(found.paths, found.isDeep, found.folder === null ? from : joined(from, found.folder), reading);
      for (const act of gitActsOf(program, texts)) reading.acts.add(act);
    }
    for (const given of pawlWords(command.words, plain.words, reading)) {
      const verb = personVerbOf(given.map((word) => word.text));
      if (verb !== null) reading.verbs.add(verb);
      const call = callOf(given, command, command.isPiped && before ? outputOf(before) : []);
      if (call !== null && reading.calls.length < MAX_CALLS) reading.calls.push({ ...call, cwd });
    }
    before = command;
  }
}

function add(words: readonly Word[], isDeep: boolean, cwd: string, { writes }: Reading): void {
  for (const { isOpen, isPattern, text } of words) {
    // The beginning of a path with unknown parts says nothing about where it leads.
    if (isOpen || text === "" || text === "-" || text.length > MAX_PATH) continue;
    if (writes.length >= MAX_FOUND) return;
    writes.push({ path: text, cwd, isDeep, isPattern });
  }
}

function addPatch(texts: readonly string[], cwd: string, { writes }: Reading): void {
  for (const path of texts.flatMap(patchedPaths).slice(0, MAX_FOUND))
    writes.push({ path, cwd, isDeep: false, isPattern: false });
}

/** A change of folder inside a subshell ends with it, so it is not followed. */
function folderAfter(cwd: string, home: string, args: readonly Word[], depth: number): string {
  const target = args.find(({ text }) => !/^-./.test(text));
  if (depth > 0) return cwd;
  if (target === undefined) return home;
  return target.isOpen || target.text === "-" ? cwd : joined(cwd, target.text.replace(/^~(?=\/|$)/, home));
}

function joined(cwd: string, path: string): string {
  if (path.startsWith("/")) return path;
  // No folder lies so deep.
  return cwd.length > MAX_PATH ? cwd : `${cwd}/${path}`;
}

function baseOf(path: string): string {
  return (path.split(/[/\\]/).at(-1) ?? path).replace(/\.(?:exe|cmd|bat)$/i, "");
}

// ── What runs what ───────────────────────────────────────────────────────────────────────────────────────────────

/** Programs that start another one, with those of their options that take a word. */
const STARTERS: Readonly<Record<string, { readonly valued: string; readonly skips?: number }>> = {
  env: { valued: "uC" },
  sudo: { valued: "ugpCDhRTU" },
  doas: { valued: "uC" },
  command: { valued: "" },
  builtin: { valued: "" },
  exec: { valued: "a" },
  nohup: { valued: "" },
  setsid: { valued: "" },
  time: { valued: "fo" },
  nice: { valued: "n" },
  ionice: { valued: "cnp" },
  chrt: { valued: "", skips: 1 },
  timeout: { valued: "ks", skips: 1 },
  stdbuf: { valued: "ioe" },
  unbuffer: { valued: "" },
  xargs: { valued: "adEILnPs" },
  busybox: { valued: "" },
  watch: { valued: "n" },
  flock: { valued: "wEc", skips: 1 },
  strace: { valued: "eopPsS" },
  chronic: { valued: "" },
  npx: { valued: "pc" },
  bunx: { valued: "" },
};

/** Words of the grammar that may stand before a command. */
const GRAMMAR = ["if", "then", "else", "elif", "while", "until", "do", "!", "{", "time", "coproc"];

interface Stripped {
  readonly words: readonly Word[];
  /** The folder that a starter changes to. */
  readonly folder: string | null;
}

/** The command without what only starts it. */
function stripped(words: readonly Word[]): Stripped {
  let rest = words;
  let folder: string | null = null;
  for (let round = 0; round < 16; round++) {
    const name = baseOf(rest[0]?.text ?? "");
    if (GRAMMAR.includes(rest[0]?.text ?? "")) {
      rest = rest.slice(1);
      continue;
    }
    const starter = Object.hasOwn(STARTERS, name) ? STARTERS[name] : undefined;
    if (starter === undefined) break;
    const found = afterOptions(rest, starter.valued, starter.skips ?? 0, name === "env");
    if (found.at >= rest.length) break;
    folder = found.folder ?? folder;
    rest = rest.slice(found.at);
  }
  return { words: rest, folder };
}

/** Where the started command begins. */
function afterOptions(words: readonly Word[], valued: string, skips: number, isEnv: boolean) {
  let at = 1;
  let folder: string | null = null;
  for (; at < words.length; at++) {
    const text = words[at]?.text ?? "";
    if (text === "--") {
      at += 1;
      break;
    }
    if (isEnv && /^[A-Za-z_]\w*=/.test(text)) continue;
    if (!/^-./.test(text)) break;
    const takesWord = /^-\w$/.test(text) ? valued.includes(text[1] ?? " ") : LONG_VALUED.includes(text);
    if (takesWord) {
      if (text === "-C" || text === "--chdir") folder = words[at + 1]?.text ?? null;
      at += 1;
    }
  }
  return { at: at + skips, folder };
}

const LONG_VALUED = ["--unset", "--chdir", "--user", "--group", "--signal", "--kill-after", "--package"];

const SHELLS = [
  "sh",
  "bash",
  "zsh",
  "dash",
  "ksh",
  "ash",
  "fish",
  "su",
  "script",
  "tmux",
  "screen",
  "expect",
];

/** Texts that the command runs as scripts. */
function scriptsIn(
  program: string,
  given: readonly Word[],
  { inputs, isPiped }: Command,
  before: Command | null,
): Iterable<string> {
  const args = given.map(({ text }) => text);
  if (program === "eval" || program === "parallel") return [args.join(" ")];
  // A whole command in one word, as `env -S` takes it.
  if (/\s/.test(program)) return [[program, ...args].join(" ")];
  if (program === "find") return startedByFind(args, foundBy(given));
  if (program === "fd") return startedByFind(args, given.slice(0, 1));
  if (program === "trap" || program === "watch") return args.slice(0, 1);
  if (!SHELLS.includes(program)) return program === "flock" || program === "npx" ? afterC(args) : [];
  const named = [...afterC(args), ...(["tmux", "screen"].includes(program) ? args : [])];
  const isBare = args.every((arg) => arg.startsWith("-"));
  if (!isBare) return named;
  const piped = isPiped && before ? outputOf(before) : [];
  return [...named, ...inputs, ...piped];
}

/** The word after `-c`, also in `-lc`. */
function afterC(args: readonly string[]): readonly string[] {
  return args.flatMap((arg, at) => (/^-[a-z]*c$|^--command$/.test(arg) ? [args[at + 1] ?? ""] : []));
}

/** One after the other, so that no more are made than are read. */
function* startedByFind(args: readonly string[], found: readonly Word[]): Iterable<string> {
  const places = found.map(foundWord).join(" ").slice(0, MAX_SCRIPT_LENGTH);
  for (const [at, arg] of args.entries()) {
    if (!/^(?:-exec|-execdir|-ok|-okdir|-x|-X)$/.test(arg)) continue;
    let end = at + 1;
    while (end < args.length && args[end] !== ";" && args[end] !== "+") end += 1;
    const words = args.slice(at + 1, end);
    let script = "";
    for (const word of words) {
      if (script.length > MAX_SCRIPT_LENGTH) break;
      // What is found lies below the folder that is searched.
      script += `${word === "{}" ? places : quotedWord(word.replace("{}", found[0]?.text ?? "."))} `;
    }
    yield script;
  }
}

/** As a shell's script has it: the signs of a pattern are not quoted. */
function foundWord({ isPattern, text }: Word): string {
  if (!isPattern) return quotedWord(text);
  return text.replace(/[^*?[\]]+/g, quotedWord);
}

function quotedWord(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}

/** What a command prints, where that stands in its words. */
function outputOf({ inputs, words }: Command): readonly string[] {
  const [name, ...args] = words.map(({ text }) => text);
  if (name === "echo" || name === "printf") return [args.filter((arg) => !/^-[neE]+$/.test(arg)).join(" ")];
  return name === "cat" ? inputs : [];
}

// ── Git, and Pawl's own verbs ─────────────────────────────────────────────────────────────────────────────────────

const COMMITS = ["commit", "commit-tree", "cherry-pick", "revert", "am"];
const PUSHES = ["push", "send-pack", "http-push"];

function gitActsOf(program: string, args: readonly string[]): readonly GitAct[] {
  if (program === "git") {
    const [verb = ""] = gitWords(args).words;
    if (COMMITS.includes(verb)) return ["commit"];
    return PUSHES.includes(verb) ? ["push"] : [];
  }
  if (program.startsWith("git-")) return gitActsOf("git", [program.slice("git-".length), ...args]);
  const [noun = "", verb = ""] = args.filter((arg) => !arg.startsWith("-"));
  const isRequest = (program === "gh" && noun === "pr") || (program === "glab" && noun === "mr");
  return isRequest && ["create", "new", "merge"].includes(verb) ? ["push"] : [];
}

const PAWL = /^(?:pawl|bloom)(?:@[^/]*)?(?:\.[cm]?js|\.ts|\.ps1)?$/;

/** They print their words, or go there. */
const SHOWS = [
  "echo",
  "printf",
  "grep",
  "rg",
  "ag",
  "cat",
  "ls",
  "man",
  "which",
  "whereis",
  "type",
  "cd",
  "pushd",
];
/** Options whose word is a folder, or the like. */
const FOLDER_OPTIONS = ["-C", "--prefix", "--cwd", "--dir", "--directory", "--chdir"];

/**
 * The words that Pawl is started with, wherever it stands in the words: much can start it. `plain`: the end of them, from the
 * started program on.
 */
function* pawlWords(
  words: readonly Word[],
  plain: readonly Word[],
  reading: Reading,
): Iterable<readonly Word[]> {
  const program = baseOf(plain[0]?.text ?? "");
  if (SHOWS.includes(program) || onlyWrites(program)) return;
  const start = words.length - plain.length;
  const from = program === "git" ? words.length - startedByGit(plain.slice(1)) : 0;
  for (const [at, { text }] of words.entries()) {
    if (at < from || (at !== start && FOLDER_OPTIONS.includes(words[at - 1]?.text ?? ""))) continue;
    if (!PAWL.test(baseOf(text)) && !isOwnProgram(text, reading)) continue;
    yield words.slice(at + 1, at + 1 + MAX_VERB_WORDS);
  }
}

/** How many words at the end are another program's, which git starts. */
function startedByGit(args: readonly Word[]): number {
  const { words } = gitWords(args.map(({ text }) => text));
  const starts = words.findIndex((word) => word === (words[0] === "bisect" ? "run" : "foreach"));
  return starts < 0 || !["bisect", "submodule"].includes(words[0] ?? "") ? 0 : words.length - starts - 1;
}

function isOwnProgram(text: string, reading: Reading): boolean {
  if (/(?:^|\/)pawl\/(?:dist\/|src\/)?main\.[cm]?[jt]s$/.test(text)) return true;
  if (!/\bmain\.[cm]?[jt]s$/.test(text) || text.length > MAX_PATH) return false;
  reading.programsLeft -= 1;
  if (reading.programsLeft < 0) reading.isCut = true;
  return reading.programsLeft >= 0 && reading.around.isProgram(text);
}

const MAX_VERB_WORDS = 16;
const MAX_CALLS = 20;
