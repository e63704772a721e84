/** Notices for a page without data: empty, failed, or still loading. */
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import type { Refused } from "../wire.ts";
import type { Resource } from "./resource.ts";
import { hasMoved } from "./route.ts";
import { OneLine, oneLine, Words } from "./words.tsx";

/** Pawl's two lines: what happened, and the fix. */
export function Problem({ refused, retry }: { readonly refused: Refused; readonly retry?: () => void }) {
  return (
    <div class="problem" role="alert">
      <Words text={refused.message} max={1_000} />
      <p class="fix">
        <Words text={refused.fix} max={1_000} />
      </p>
      <p class="quiet small">
        <code>{oneLine(refused.code, 80)}</code>
        {retry && (
          <button type="button" class="link" onClick={retry}>
            Try again
          </button>
        )}
      </p>
    </div>
  );
}

/** Nothing to show: what that means, and the command that would change it. */
export function Empty({
  title,
  children,
  command,
}: {
  readonly title: string;
  readonly children?: ComponentChildren;
  readonly command?: string;
}) {
  return (
    <div class="empty">
      <p class="empty-title">{title}</p>
      {children !== undefined && <p class="quiet">{children}</p>}
      {command !== undefined && <Command text={command} />}
    </div>
  );
}

export function Command({ text }: { readonly text: string }) {
  return (
    <code class="command">
      <OneLine text={text} />
    </code>
  );
}

/**
 * A placeholder in the shape of the content. It stays invisible for a moment, because most answers are
 * quicker.
 */
export function Skeleton({ lines = 6 }: { readonly lines?: number }) {
  return (
    <div class="skeleton" role="status" aria-label="Loading">
      {Array.from({ length: lines }, (_, at) => (
        <span key={at} class={`bone bone-${at % 3}`} />
      ))}
    </div>
  );
}

/** Shows the data even if a reload failed; then the problem is above it. */
export function Loaded<T>({
  from,
  children,
}: {
  readonly from: Resource<T>;
  readonly children: (data: T) => ComponentChildren;
}) {
  const retry = () => void from.reload();
  if (from.data === null)
    return from.problem ? <Problem refused={from.problem} retry={retry} /> : <Skeleton />;
  return (
    <>
      {from.problem && <Problem refused={from.problem} retry={retry} />}
      {children(from.data)}
    </>
  );
}

/** A page's heading. It takes the focus after a move from another page. */
export function Heading({
  title,
  children,
}: {
  readonly title: string;
  readonly children?: ComponentChildren;
}) {
  const heading = useRef<HTMLHeadingElement>(null);
  // A layout effect, before the page is visible, so that no key goes to the page that was left.
  useLayoutEffect(() => {
    document.title = `${oneLine(title, 80)} · Pawl`;
  }, [title]);
  useLayoutEffect(() => {
    if (hasMoved.peek()) heading.current?.focus();
  }, []);
  return (
    <header class="page-head">
      <h1 ref={heading} tabIndex={-1}>
        <OneLine text={title} max={200} />
      </h1>
      {children !== undefined && <div class="page-side">{children}</div>}
    </header>
  );
}

/** A badge's text and look. */
export interface Badged {
  readonly words: string;
  readonly tone: Tone;
}

export type Tone = "good" | "bad" | "warn" | "accent" | "plain";

export function Badge({
  tone = "plain",
  children,
}: {
  readonly tone?: Tone;
  readonly children: ComponentChildren;
}) {
  return <span class={`badge ${tone}`}>{children}</span>;
}

interface LinesProps {
  readonly lines: readonly (readonly [title: string, value: ComponentChildren])[];
}

/** Titles with their values; a text is cleaned. */
export function TitledLines({ lines }: LinesProps) {
  return (
    <dl class="receipt-list">
      {lines.map(([title, value]) => (
        <div key={title}>
          <dt>{title}</dt>
          <dd>{typeof value === "string" ? <OneLine text={value} /> : value}</dd>
        </div>
      ))}
    </dl>
  );
}

export function Key({ keys }: { readonly keys: string }) {
  return (
    <span class="keys" aria-hidden="true">
      {keys.split(" ").map((key, at) => (
        <kbd key={at}>{key}</kbd>
      ))}
    </span>
  );
}
