/**
 * Reads a command line as a shell would, as far as a text can tell: its commands, their words and where their output goes.
 * What it cannot know (a variable's value, what another program prints) stays unknown. Each sign is read once, so its time
 * is linear; nested commands are followed to a limit.
 */

/** One word, as the command gets it. */
export interface Word {
  readonly text: string;
  /** It has parts whose value is not known here. */
  readonly isOpen: boolean;
  /** It has unquoted `*`, `?` or `[`. */
  readonly isPattern: boolean;
}

export interface Command {
  readonly words: readonly Word[];
  /** Files that its output goes to. */
  readonly outputs: readonly Word[];
  /** Texts that it reads as its input: here-documents and here-strings. */
  readonly inputs: readonly string[];
  /** Values set only for it, or for the rest if it has no words. */
  readonly assignments: readonly { readonly name: string; readonly value: Word }[];
  /** Its input is the output of the command before. */
  readonly isPiped: boolean;
  /** How many subshells it is in: a change of folder ends with them. */
  readonly depth: number;
}

const MAX_DEPTH = 32;
const MAX_WORD = 4096;
const BLANK = /[ \t\r]/;
const ENDS_WORD = /[\s;&|<>()]/;

/** The commands in the order in which they begin. `value`: what a variable stands for. */
export function readCommands(text: string, variables: ReadonlyMap<string, string>): readonly Command[] {
  return new Reader(text, new Map(variables)).read();
}

interface Draft {
  words: Word[];
  outputs: Word[];
  inputs: string[];
  assignments: { name: string; value: Word }[];
  isPiped: boolean;
}

interface Heredoc {
  readonly delimiter: string;
  readonly isIndented: boolean;
  readonly inputs: string[];
}

class Reader {
  readonly #text: string;
  readonly #variables: Map<string, string>;
  readonly #commands: Command[] = [];
  #at = 0;
  #depth = 0;
  #heredocs: Heredoc[] = [];

  constructor(text: string, variables: Map<string, string>) {
    this.#text = text;
    this.#variables = variables;
  }

  read(): readonly Command[] {
    while (this.#at < this.#text.length) {
      this.#script("");
      // A sign that closes nothing.
      this.#at += 1;
    }
    return this.#commands;
  }

  /** Reads commands up to `end`, which stays unread. */
  #script(end: string): void {
    let draft = empty(false);
    const finish = (isPiped: boolean) => {
      this.#finish(draft);
      draft = empty(isPiped);
    };
    while (this.#at < this.#text.length) {
      const sign = this.#text[this.#at] ?? "";
      if (end !== "" && sign === end) break;
      if (sign === ")" && end === "") break;
      if (BLANK.test(sign)) this.#at += 1;
      else if (sign === "\\" && this.#text[this.#at + 1] === "\n") this.#at += 2;
      else if (sign === "\n") {
        this.#at += 1;
        finish(false);
        this.#skipHeredocs();
      } else if (sign === "#") this.#at = this.#indexOr("\n", this.#at);
      else if (sign === ";") {
        this.#at += 1;
        finish(false);
      } else if (sign === "&" && this.#text[this.#at + 1] !== ">") {
        this.#at += this.#text[this.#at + 1] === "&" ? 2 : 1;
        finish(false);
      } else if (sign === "|") {
        const isOr = this.#text[this.#at + 1] === "|";
        this.#at += isOr || this.#text[this.#at + 1] === "&" ? 2 : 1;
        finish(!isOr);
      } else if (sign === "(") {
        if (this.#text[this.#at + 1] === "(" && draft.words.length === 0) this.#skipParentheses();
        else this.#nested(")", 1);
      } else if (!this.#redirection(draft)) this.#word(draft);
    }
    finish(false);
  }

  #finish({ words, outputs, inputs, assignments, isPiped }: Draft): void {
    if (words.length === 0)
      for (const { name, value } of assignments) {
        if (value.isOpen) this.#variables.delete(name);
        else this.#variables.set(name, value.text);
      }
    if (words.length + outputs.length + assignments.length > 0)
      this.#commands.push({ words, outputs, inputs, assignments, isPiped, depth: this.#depth });
  }

  /** A subshell or a substitution, from its opening sign on. */
  #nested(end: string, skip: number): void {
    this.#at += skip;
    if (this.#depth >= MAX_DEPTH) {
      this.#at = this.#text.length;
      return;
    }
    this.#depth += 1;
    const heredocs = this.#heredocs;
    this.#heredocs = [];
    this.#script(end);
    this.#heredocs = heredocs;
    this.#depth -= 1;
    this.#at += 1;
  }

  /** `((…))`: a calculation. */
  #skipParentheses(): void {
    let open = 0;
    for (; this.#at < this.#text.length; this.#at++) {
      const sign = this.#text[this.#at];
      if (sign === "(") open += 1;
      if (sign === ")" && --open === 0) break;
    }
    this.#at += 1;
  }

  /** False: nothing of the kind begins here. */
  #redirection(draft: Draft): boolean {
    REDIRECTION.lastIndex = this.#at;
    const [whole, operator = ""] = REDIRECTION.exec(this.#text) ?? [];
    if (whole === undefined) return false;
    // `[[ a > b ]]` compares.
    const isTest = draft.words[0]?.text === "[[" && draft.words.at(-1)?.text !== "]]";
    this.#at += whole.length;
    if (operator === "<" || operator === ">") {
      if (this.#text[this.#at] === "(") {
        this.#nested(")", 1);
        return true;
      }
    }
    this.#skipBlanks();
    const word = this.#readWord();
    if (isTest) return true;
    if (operator === "<<" || operator === "<<-") {
      const isIndented = operator === "<<-";
      this.#heredocs.push({ delimiter: word.text, isIndented, inputs: draft.inputs });
    } else if (operator === "<<<") draft.inputs.push(word.text);
    else if (operator !== "<" && operator !== "<&" && !isDescriptor(operator, word)) draft.outputs.push(word);
    return true;
  }

  /** The bodies of the here-documents whose line has just ended. */
  #skipHeredocs(): void {
    for (const { delimiter, inputs, isIndented } of this.#heredocs) {
      const from = this.#at;
      let end = this.#text.length;
      while (this.#at < this.#text.length) {
        const lineEnd = this.#indexOr("\n", this.#at);
        const line = this.#text.slice(this.#at, lineEnd);
        const start = this.#at;
        this.#at = lineEnd + 1;
        if ((isIndented ? line.replace(/^\t+/, "") : line) === delimiter) {
          end = start;
          break;
        }
      }
      inputs.push(this.#text.slice(from, end));
    }
    this.#heredocs = [];
  }

  #word(draft: Draft): void {
    const begin = this.#at;
    const word = this.#readWord();
    if (this.#at === begin) {
      // No sign may be read for ever.
      this.#at += 1;
      return;
    }
    const [, name] = ASSIGNMENT.exec(this.#text.slice(begin, begin + 128)) ?? [];
    if (draft.words.length === 0 && name !== undefined) {
      const value = { ...word, text: word.text.slice(word.text.indexOf("=") + 1) };
      draft.assignments.push({ name, value });
    } else draft.words.push(...expandBraces(word));
  }

  #readWord(): Word {
    const parts: string[] = [];
    let [length, isOpen, isPattern] = [0, false, false];
    const add = (text: string) => {
      if (length > MAX_WORD && text.length > 1) isOpen = true;
      else parts.push(text);
      length += text.length;
    };
    const open = () => {
      isOpen = true;
    };
    while (this.#at < this.#text.length) {
      const sign = this.#text[this.#at] ?? "";
      if (ENDS_WORD.test(sign)) break;
      if (sign === "'") this.#single(add);
      else if (sign === '"') this.#double(add, open);
      else if (sign === "\\") {
        const next = this.#text[this.#at + 1] ?? "";
        if (next !== "\n") add(next);
        this.#at += 2;
      } else if (sign === "$" || sign === "`") this.#expansion(add, open, false);
      else {
        if (sign === "*" || sign === "?" || sign === "[") isPattern = true;
        add(sign);
        this.#at += 1;
      }
    }
    return { text: parts.join(""), isOpen, isPattern };
  }

  #single(add: (text: string) => void): void {
    const end = this.#indexOr("'", this.#at + 1);
    add(this.#text.slice(this.#at + 1, end));
    this.#at = end + 1;
  }

  #double(add: (text: string) => void, open: () => void): void {
    this.#at += 1;
    while (this.#at < this.#text.length) {
      const sign = this.#text[this.#at] ?? "";
      if (sign === '"') break;
      if (sign === "\\") {
        const next = this.#text[this.#at + 1] ?? "";
        if (next !== "\n") add(/[$`"\\]/.test(next) ? next : `\\${next}`);
        this.#at += 2;
      } else if (sign === "$" || sign === "`") this.#expansion(add, open, true);
      else {
        add(sign);
        this.#at += 1;
      }
    }
    this.#at += 1;
  }

  #expansion(add: (text: string) => void, open: () => void, isQuoted: boolean): void {
    const next = this.#text[this.#at + 1] ?? "";
    if (this.#text[this.#at] === "`") {
      open();
      this.#backticks();
    } else if (next === "'" && !isQuoted) this.#ansi(add);
    else if (next === '"' && !isQuoted) this.#at += 1;
    else if (next === "(") {
      open();
      if (this.#text[this.#at + 2] === "(") {
        this.#at += 1;
        this.#skipParentheses();
      } else this.#nested(")", 2);
    } else this.#variable(add, open);
  }

  #variable(add: (text: string) => void, open: () => void): void {
    VARIABLE.lastIndex = this.#at;
    const [whole, braced, plain] = VARIABLE.exec(this.#text) ?? [];
    if (whole === undefined) {
      // `${…}` with more in it, or a lone `$`.
      if (this.#text[this.#at + 1] !== "{") add("$");
      else {
        open();
        this.#at = this.#indexOr("}", this.#at);
      }
      this.#at += 1;
      return;
    }
    this.#at += whole.length;
    const value = this.#variables.get(braced ?? plain ?? "");
    if (value === undefined) open();
    else add(value);
  }

  #backticks(): void {
    let end = this.#at + 1;
    while (end < this.#text.length && this.#text[end] !== "`") end += this.#text[end] === "\\" ? 2 : 1;
    const inner = this.#text.slice(this.#at + 1, end).replace(/\\([`\\$])/g, "$1");
    this.#at = end + 1;
    // Inside, no backtick is left that is not quoted, so this ends after a few levels.
    if (this.#depth >= MAX_DEPTH) return;
    const reader = new Reader(inner, this.#variables);
    reader.#depth = this.#depth + 1;
    this.#commands.push(...reader.read());
  }

  /** `$'…'` */
  #ansi(add: (text: string) => void): void {
    let end = this.#at + 2;
    while (end < this.#text.length && this.#text[end] !== "'") end += this.#text[end] === "\\" ? 2 : 1;
    add(this.#text.slice(this.#at + 2, end).replace(ANSI, decoded));
    this.#at = end + 1;
  }

  #skipBlanks(): void {
    while (BLANK.test(this.#text[this.#at] ?? "")) this.#at += 1;
  }

  #indexOr(sign: string, from: number): number {
    const found = this.#text.indexOf(sign, from);
    return found < 0 ? this.#text.length : found;
  }
}

const REDIRECTION = /(?:\d{1,4}|\{\w{1,64}\})?(<<<|<<-|<<|<>|<&|<|>>|>\||>&|>)|(&>>|&>)/y;
const ASSIGNMENT = /^([A-Za-z_]\w{0,63})\+?=/;
const VARIABLE = /\$(?:\{([A-Za-z_]\w{0,63})\}|([A-Za-z_]\w{0,63}|[0-9@*#?$!-]))/y;
const ANSI = /\\(?:x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|([0-7]{1,3})|([\s\S]))/g;
const ANSI_SIGNS: Readonly<Record<string, string>> = {
  n: "\n",
  t: "\t",
  r: "\r",
  a: "",
  b: "",
  e: "",
  f: "",
};

function decoded(_: string, hex?: string, unicode?: string, octal?: string, sign = ""): string {
  const code = hex ?? unicode;
  if (code !== undefined) return String.fromCharCode(Number.parseInt(code, 16));
  if (octal !== undefined) return String.fromCharCode(Number.parseInt(octal, 8) & 0xff);
  return ANSI_SIGNS[sign] ?? sign;
}

/** `2>&1` copies a descriptor; `>&file` writes a file. */
function isDescriptor(operator: string, { text }: Word): boolean {
  return operator === ">&" && /^(?:\d+-?|-)$/.test(text);
}

function empty(isPiped: boolean): Draft {
  return { words: [], outputs: [], inputs: [], assignments: [], isPiped };
}

const MAX_BRACES = 64;

/** `{a,b}.yaml` → `a.yaml b.yaml`. Quoted braces are expanded too: that only adds words. */
function expandBraces(word: Word): readonly Word[] {
  if (word.text.length > MAX_WORD || !/\{[^{},]*,[^{}]*\}/.test(word.text)) return [word];
  let texts = [word.text];
  for (let round = 0; round < 4; round++) {
    const next = texts.flatMap((text) => {
      const [whole, before = "", inner = "", after = ""] =
        /^([\s\S]*?)\{([^{},]*,[^{}]*)\}([\s\S]*)$/.exec(text) ?? [];
      return whole === undefined ? [text] : inner.split(",").map((part) => `${before}${part}${after}`);
    });
    if (next.length > MAX_BRACES) return [word];
    if (next.length === texts.length) break;
    texts = next;
  }
  return texts.map((text) => ({ ...word, text }));
}
