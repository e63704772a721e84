/**
 * A line of code: with the server's colours, the changed part marked, and invisible characters made visible.
 */
import type { ComponentChildren } from "preact";
import type { Colours } from "../../wire.ts";

/** Longer lines are cut here; the rest is shown on request. */
export const MAX_LINE = 1_000;

/**
 * Control characters except the tab, marks of direction, of zero width and of no width at all, lone
 * surrogates.
 */
const HIDDEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is shown
  /[\u0000-\u0008\u000a-\u001f\u007f-\u009f\u2028\u2029\ufff0-\ufffb]|[\p{Cf}\p{Cs}]|(?![\ufe0e\ufe0f])\p{Default_Ignorable_Code_Point}/gu;
const PLAIN = /^[\t\u0020-\u007e]*$/;

interface Piece {
  readonly text: string;
  readonly className: string;
}

export function Code({
  text,
  colours,
  changed,
}: {
  readonly text: string;
  readonly colours: Colours | undefined;
  readonly changed: readonly [number, number] | null;
}) {
  const pieces = piecesOf(text, colours, changed);
  return (
    <>
      {pieces.map(({ className, text: part }, at) =>
        className === "" ? (
          visible(part)
        ) : (
          <span key={at} class={className}>
            {visible(part)}
          </span>
        ),
      )}
    </>
  );
}

/**
 * Splits the text where a colour or the changed part begins or ends. Ignores colours beyond the text's end.
 */
function piecesOf(
  text: string,
  colours: Colours | undefined,
  changed: readonly [number, number] | null,
): readonly Piece[] {
  const pieces: Piece[] = [];
  const add = (from: number, to: number, colour: string) => {
    const [start, end] = changed ?? [to, to];
    for (const [first, last, mark] of [
      [from, Math.min(to, start), ""],
      [Math.max(from, start), Math.min(to, end), "changed"],
      [Math.max(from, end), to, ""],
    ] as const)
      if (last > first) {
        const className = [colour, mark].filter((name) => name !== "").join(" ");
        pieces.push({ text: text.slice(first, last), className });
      }
  };
  let at = 0;
  for (const [length, name] of colours ?? []) {
    const end = Math.min(at + length, text.length);
    add(at, end, /^[a-z][a-z0-9-]*$/i.test(name) ? `code-${name}` : "");
    at = end;
  }
  add(at, text.length, "");
  return pieces;
}

function visible(text: string): ComponentChildren {
  if (PLAIN.test(text)) return text;
  const parts: ComponentChildren[] = [];
  let at = 0;
  for (const match of text.matchAll(HIDDEN)) {
    const [character] = match;
    const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
    parts.push(text.slice(at, match.index));
    parts.push(
      character === "\r" ? (
        <span key={at} class="hidden-char" title="Carriage return">
          ␍
        </span>
      ) : (
        <span key={at} class="hidden-char" title="A character that is invisible or changes the direction">
          U+{code}
        </span>
      ),
    );
    at = match.index + character.length;
  }
  parts.push(text.slice(at));
  return parts;
}
