/**
 * Texts of agents and files: text nodes always, isolated in their direction, with what is invisible or turns a line around
 * shown as its code point, and cut where they are long.
 */
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { clean } from "../../../core/text/clean.ts";
import { renderBytes } from "./moment.tsx";

const ONE_LINE = 300;
const BLOCK = 4_000;
/** What is added with each press. */
const MORE = 100_000;

/** In one line; what is longer ends in an ellipsis. */
export function OneLine({ text, max = ONE_LINE }: { readonly text: string; readonly max?: number }) {
  return <bdi class="one-line">{oneLine(text, max)}</bdi>;
}

export function oneLine(text: string, max = ONE_LINE): string {
  // What is cut away is not looked at: a title may be megabytes.
  const short = clean(text.slice(0, max * 4))
    .replace(/\s+/g, " ")
    .trim();
  return short.length > max || text.length > max * 4 ? `${sliced(short, max)}…` : short;
}

/** With its lines. */
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
  /** Shows its end, where it is cut: of an output. */
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
  // Where the text is taller than its block.
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
          {clean(part)}
        </div>
      )}
      {!fromEnd && more}
    </>
  );
}

/** Never half of a pair of surrogates. */
function sliced(text: string, end: number): string {
  const code = text.charCodeAt(end - 1);
  return text.slice(0, code >= 0xd800 && code <= 0xdbff ? end - 1 : end);
}
