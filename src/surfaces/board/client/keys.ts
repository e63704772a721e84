/** Keyboard shortcuts: each page registers its own; `?` lists them all. They are inactive in text fields. */
import { signal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import { keep, kept } from "./keep.ts";

export interface Key {
  /** `j`, or two in sequence: `g i`. */
  readonly keys: string;
  readonly words: string;
  /** Null: the browser handles the key itself. */
  readonly run: (() => void) | null;
}

interface Scope {
  readonly title: string;
  readonly keys: () => readonly Key[];
}

/** The innermost scope is last: its keys take precedence. */
export const scopes = signal<readonly Scope[]>([]);
/** People who dictate, or use single letters for something else, can turn the shortcuts off. */
export const keysEnabled = signal(kept("keys") !== "off");

export function setKeysEnabled(on: boolean): void {
  keysEnabled.value = on;
  keep("keys", on ? null : "off");
}

export function useKeys(title: string, keys: readonly Key[]): void {
  const current = useRef(keys);
  current.current = keys;
  // A layout effect, so that keys work as soon as the page is visible.
  useLayoutEffect(() => {
    const scope: Scope = { title, keys: () => current.current };
    scopes.value = [...scopes.value, scope];
    return () => {
      scopes.value = scopes.value.filter((each) => each !== scope);
    };
  }, [title]);
}

const CHORD_MS = 1_500;
let first = "";
let firstAt = 0;

export function listenToKeys(): void {
  document.addEventListener("keydown", (pressed) => {
    if (pressed.defaultPrevented || pressed.ctrlKey || pressed.metaKey || pressed.altKey) return;
    if (pressed.isComposing || isWriting(pressed.target) || document.querySelector("dialog[open]")) return;
    if (!keysEnabled.value && pressed.key !== "?") return;
    const chord = first !== "" && pressed.timeStamp - firstAt < CHORD_MS ? `${first} ${pressed.key}` : "";
    const key = (chord !== "" && find(chord)) || find(pressed.key);
    first = key ? "" : pressed.key;
    firstAt = pressed.timeStamp;
    if (!key?.run) return;
    pressed.preventDefault();
    key.run();
  });
}

function find(keys: string): Key | undefined {
  for (const scope of scopes.value.toReversed()) {
    const match = scope.keys().find((key) => key.keys === keys);
    if (match) return match;
  }
  return undefined;
}

function isWriting(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target instanceof HTMLInputElement)
    return !["checkbox", "radio", "range", "button"].includes(target.type);
  return (
    target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement || target.isContentEditable
  );
}
