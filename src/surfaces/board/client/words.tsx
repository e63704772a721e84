/**
 * Texts of agents and files: always text nodes, with isolated direction. Characters that are invisible or
 * change the direction appear as their code points, and long texts are cut.
 */
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { clean } from "../../../core/text/clean.ts";
import { codeSpans } from "../../../core/text/code-spans.ts";
import { renderBytes } from "./moment.tsx";

const ONE_LINE = 300;
const BLOCK = 4_000;
/** Added by each press. */
const MORE = 100_000;

interface OneLineProps {
  readonly text: string;
  readonly max?: number;
  readonly class?: string;
}

/** On one line; a longer text ends in an ellipsis. */
export function OneLine({ class: className = "", text, max = ONE_LINE }: OneLineProps) {
  return <bdi class={`one-line ${className}`}>{withCode(oneLine(text, max))}</bdi>;
}

/** Shows text between backticks as code: still only text. */
function withCode(text: string) {
  if (!text.includes("`")) return text;
  return codeSpans(text).map((span, at) => (span.isCode ? <code key={at}>{span.text}</code> : span.text));
}

export function oneLine(text: string, max = ONE_LINE): string {
  // Skips what will be cut: a title may be megabytes.
  const short = clean(text.slice(0, max * 4))
    .replace(/\s+/g, " ")
    .trim();
  return short.length > max || text.length > max * 4 ? `${sliced(short, max)}…` : short;
}

/** With its line breaks. */
export function Words({
  text,
  max = BLOCK,
  isCode = false,
  fromEnd = false,
  label,
}: {
  readonly text: string;
  readonly max?: number;
  readonly isCode?: boolean;
  /** Shows the end if the text is cut, as for a command's output. */
  readonly fromEnd?: boolean;
  readonly label?: string;
}) {
  const [shown, setShown] = useState(max);
  const rest = text.length - shown;
  const part = rest <= 0 ? text : fromEnd ? text.slice(-shown) : sliced(text, shown);
  const more = rest > 0 && (
    <button type="button" class="link more" onClick={() => setShown(shown + MORE)}>
      Show {rest > MORE ? "more" : "all"} ({renderBytes(rest)} left out)
    </button>
  );
  const className = isCode ? "words code" : "words";
  const block = useRef<HTMLPreElement>(null);
  const end = fromEnd ? text : null;
  // If the text is taller than its block.
  useLayoutEffect(() => {
    if (end !== null && block.current) block.current.scrollTop = block.current.scrollHeight;
  }, [end]);
  return (
    <>
      {fromEnd && more}
      {isCode ? (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by the keyboard
        <pre ref={block} class={className} dir="auto" tabIndex={0} role="group" aria-label={label ?? "Text"}>
          {clean(part)}
        </pre>
      ) : (
        <div class={className} dir="auto">
          {withCode(clean(part))}
        </div>
      )}
      {!fromEnd && more}
    </>
  );
}

/** Never splits a surrogate pair. */
function sliced(text: string, end: number): string {
  const code = text.charCodeAt(end - 1);
  return text.slice(0, code >= 0xd800 && code <= 0xdbff ? end - 1 : end);
}
