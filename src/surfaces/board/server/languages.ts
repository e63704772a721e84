/**
 * The languages whose differences are coloured. Each grammar is a module of its own, loaded when a file needs
 * it. One also serves similar languages, because each adds up to 0.2 MB to the package.
 */
import type { LanguageRegistration } from "@shikijs/core";

interface Language {
  /** The ends of its files' names. */
  readonly ends: string;
  load(): Promise<{ readonly default: LanguageRegistration[] }>;
}

export const LANGUAGES: Readonly<Record<string, Language>> = {
  bash: { ends: "sh bash zsh", load: () => import("./languages/bash.ts") },
  c: { ends: "c h cc cpp hpp cxx", load: () => import("./languages/c.ts") },
  css: { ends: "css", load: () => import("./languages/css.ts") },
  docker: { ends: "dockerfile containerfile", load: () => import("./languages/docker.ts") },
  go: { ends: "go", load: () => import("./languages/go.ts") },
  java: { ends: "java", load: () => import("./languages/java.ts") },
  json: { ends: "json jsonl", load: () => import("./languages/json.ts") },
  kotlin: { ends: "kt kts", load: () => import("./languages/kotlin.ts") },
  markdown: { ends: "md", load: () => import("./languages/markdown.ts") },
  python: { ends: "py", load: () => import("./languages/python.ts") },
  rust: { ends: "rs", load: () => import("./languages/rust.ts") },
  sql: { ends: "sql", load: () => import("./languages/sql.ts") },
  toml: { ends: "toml", load: () => import("./languages/toml.ts") },
  tsx: { ends: "ts tsx mts cts js jsx mjs cjs", load: () => import("./languages/tsx.ts") },
  xml: { ends: "xml svg html htm", load: () => import("./languages/xml.ts") },
  yaml: { ends: "yml yaml", load: () => import("./languages/yaml.ts") },
};

const BY_END = new Map(
  Object.entries(LANGUAGES).flatMap(([name, { ends }]) => ends.split(" ").map((end) => [end, name] as const)),
);

/** Null: no known language. */
export function languageOf(path: string): string | null {
  return (
    BY_END.get(path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf(".")) + 1).toLowerCase()) ?? null
  );
}
