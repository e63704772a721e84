/** Parts of the pages' lists: the search, the switch of views, "Show more", and the keys to move. */
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { Key } from "./keys.ts";

interface SearchProps {
  readonly label: string;
  readonly hint?: string;
  readonly value: string;
  readonly change: (sought: string) => void;
  readonly onEnter?: () => void;
}

export function Search({ change, hint, label, onEnter, value }: SearchProps) {
  return (
    <input
      type="search"
      aria-label={label}
      placeholder={`${hint ?? label}  /`}
      value={value}
      onInput={({ currentTarget }) => change(currentTarget.value)}
      onKeyDown={({ key }) => key === "Enter" && onEnter?.()}
    />
  );
}

/** A page has at most one search. */
export function searchKey(words: string): Key {
  return {
    ...{ keys: "/", words },
    run: () => document.querySelector<HTMLElement>("input[type=search]")?.focus(),
  };
}

interface SwitchProps<T> {
  readonly name: string;
  readonly options: readonly (readonly [T, string])[];
  readonly value: T;
  readonly choose: (value: T) => void;
}

export function Switch<T extends string | boolean>({ choose, name, options, value }: SwitchProps<T>) {
  return (
    <fieldset class="switch">
      <legend class="unseen">{name}</legend>
      {options.map(([each, words]) => (
        <button key={words} type="button" aria-pressed={each === value} onClick={() => choose(each)}>
          {words}
        </button>
      ))}
    </fieldset>
  );
}

interface FirstOfProps<T> {
  readonly all: readonly T[];
  readonly first: number;
  /** Added by each press. */
  readonly more: number;
  readonly children: (shown: readonly T[]) => ComponentChildren;
}

export function FirstOf<T>({ all, children, first, more }: FirstOfProps<T>) {
  const [most, setMost] = useState(first);
  return (
    <>
      {children(all.slice(0, most))}
      {all.length > most && (
        <button type="button" class="link more" onClick={() => setMost(most + more)}>
          Show more ({all.length - most})
        </button>
      )}
    </>
  );
}

/** The links of a list, one per item, which `j` and `k` focus. */
function items(): readonly HTMLElement[] {
  return [...document.querySelectorAll<HTMLElement>("[data-item]")];
}

/** -1: none has the focus. */
export function itemAt(): number {
  return items().indexOf(document.activeElement as HTMLElement);
}

export function itemKeys(one: string): readonly Key[] {
  const step = (by: 1 | -1) => {
    const all = items();
    const at = itemAt();
    const next = all[at < 0 && by < 0 ? all.length - 1 : Math.min(Math.max(at + by, 0), all.length - 1)];
    next?.focus();
    next?.closest("li")?.scrollIntoView({ block: "nearest" });
  };
  return [
    { keys: "j", words: `The next ${one}`, run: () => step(1) },
    { keys: "k", words: `The ${one} before`, run: () => step(-1) },
  ];
}
