import type { Style } from "./offsets.ts";

const PLAIN = /^[A-Za-z_][A-Za-z0-9_./-]*$|^\d{4}-\d\d-\d\dT[0-9:.]+Z$/;
/** What some version of YAML reads as no text. */
const WORD = /^(?:null|true|false|yes|no|on|off|y|n)$/i;

/** A text as a YAML scalar on one line, in the style that was there where that can hold it. */
export function renderScalar(value: string, style: Style): string {
  if (style === "single" && /^[\x20-\x7e]*$/.test(value)) return `'${value.replaceAll("'", "''")}'`;
  const quoted = style === "double" || style === "single";
  if (!quoted && PLAIN.test(value) && !WORD.test(value)) return value;
  return JSON.stringify(value).replace(/[^\x20-\x7e\u00a0-\u1fff\u3000-\ufefe]/g, escaped);
}

function escaped(character: string): string {
  return /[\ud800-\udfff]/.test(character)
    ? character
    : `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
