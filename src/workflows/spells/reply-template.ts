/**
 * The templates of the replies: the small part of Liquid that they need. An engine for all of Liquid takes a quarter of the
 * time in which `pawl lumos` starts and answers.
 *
 *     {{ name }}                                                     prints a text or a number
 *     {% if name %} … {% elsif name %} … {% else %} … {% endif %}    false, null, 0 and an empty text are no
 *     {% unless name %} … {% else %} … {% endunless %}
 *     {%- # a comment, which goes with the blanks around it -%}
 *
 * A name may have parts: `files.plan`. What is not shown is not looked up.
 *
 * R1  A name without a value is an error, and so is whatever else stands between the braces.
 * R2  A value is never a template: it is printed as it is.
 */

/** A text is cut at its marks: then every other piece is one. */
const MARK = /(\{\{.*?\}\}|\{%.*?%\})/s;
const COMMENT = /\s*\{%- #.*?-%\}\s*/gs;
const PRINT = /^\{\{ ([a-z_.]+) \}\}$/;
const BRANCH = /^\{% (?:(if|unless|elsif) ([a-z_.]+)|(else|endif|endunless)) %\}$/;

/** An `if` or `unless` that is not closed yet. */
interface Choice {
  readonly end: "endif" | "endunless";
  /** What stands between its last mark and the next one is shown. */
  isShown: boolean;
  /** No later branch will be shown. */
  isMade: boolean;
}

/** Throws an error that names the mark which cannot be followed. */
export function fillIn(template: string, values: object): string {
  const choices: Choice[] = [];
  let text = "";
  for (const [at, piece] of template.replace(COMMENT, "").split(MARK).entries()) {
    if (at % 2 === 1 && piece.startsWith("{%")) follow(piece, choices, values);
    else if (choices.every(({ isShown }) => isShown)) text += at % 2 === 0 ? piece : print(piece, values);
  }
  const [open] = choices;
  if (open !== undefined) throw new Error(`{% ${open.end} %} is missing`);
  return text;
}

function print(mark: string, values: object): string {
  const name = PRINT.exec(mark)?.[1];
  const value = name === undefined ? undefined : lookUp(name, values);
  if (typeof value !== "string" && typeof value !== "number") throw new Error(`${mark} cannot be printed`);
  return String(value);
}

function follow(mark: string, choices: Choice[], values: object): void {
  const [, asks, name = "", other] = BRANCH.exec(mark) ?? [];
  const isTrue = () => Boolean(lookUp(name, values));
  if (asks === "if" || asks === "unless") {
    const isSeen = choices.every(({ isShown }) => isShown);
    const isShown = isSeen && isTrue() === (asks === "if");
    choices.push({ end: `end${asks}`, isShown, isMade: isShown || !isSeen });
    return;
  }
  const choice = choices.at(-1);
  if (choice !== undefined && other === choice.end) choices.pop();
  else if (choice !== undefined && (asks === "elsif" || other === "else")) {
    choice.isShown = !choice.isMade && (other === "else" || isTrue());
    choice.isMade ||= choice.isShown;
  } else throw new Error(`${mark} is not expected here`);
}

function lookUp(name: string, values: object): unknown {
  let value: unknown = values;
  for (const part of name.split(".")) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, part))
      throw new Error(`${name} has no value`);
    value = (value as Readonly<Record<string, unknown>>)[part];
  }
  return value;
}
