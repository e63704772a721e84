import { effect, signal } from "@preact/signals";
import { keep, kept } from "./keep.ts";

export const THEMES = ["system", "light", "dark"] as const;
export type Theme = (typeof THEMES)[number];

export const theme = signal<Theme>(THEMES.find((name) => name === kept("theme")) ?? "system");

/** Applies the theme, now and after each change. */
export function wearTheme(): void {
  effect(() => {
    document.documentElement.dataset.theme = theme.value;
    keep("theme", theme.value === "system" ? null : theme.value);
  });
}
