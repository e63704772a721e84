/**
 * The languages whose differences are coloured. Each grammar is a module of its own, loaded when a file needs
 * it.
 */
import type { LanguageRegistration } from "@shikijs/core";

type Load = () => Promise<{ readonly default: LanguageRegistration[] }>;

export const LANGUAGES: Readonly<Record<string, Load>> = {
  bash: () => import("./languages/bash.ts"),
  c: () => import("./languages/c.ts"),
  css: () => import("./languages/css.ts"),
  docker: () => import("./languages/docker.ts"),
  go: () => import("./languages/go.ts"),
  java: () => import("./languages/java.ts"),
  json: () => import("./languages/json.ts"),
  kotlin: () => import("./languages/kotlin.ts"),
  markdown: () => import("./languages/markdown.ts"),
  python: () => import("./languages/python.ts"),
  rust: () => import("./languages/rust.ts"),
  sql: () => import("./languages/sql.ts"),
  toml: () => import("./languages/toml.ts"),
  tsx: () => import("./languages/tsx.ts"),
  xml: () => import("./languages/xml.ts"),
  yaml: () => import("./languages/yaml.ts"),
};

/**
 * By file extension. One grammar also serves similar languages, because each adds up to 0.2 MB to the
 * package.
 */
const ENDS: Readonly<Record<string, string>> = {
  sh: "bash",
  bash: "bash",
  zsh: "bash",
  c: "c",
  h: "c",
  cc: "c",
  cpp: "c",
  hpp: "c",
  cxx: "c",
  css: "css",
  go: "go",
  html: "xml",
  htm: "xml",
  java: "java",
  js: "tsx",
  mjs: "tsx",
  cjs: "tsx",
  json: "json",
  jsonl: "json",
  kt: "kotlin",
  kts: "kotlin",
  md: "markdown",
  py: "python",
  rs: "rust",
  sql: "sql",
  toml: "toml",
  tsx: "tsx",
  jsx: "tsx",
  ts: "tsx",
  mts: "tsx",
  cts: "tsx",
  xml: "xml",
  svg: "xml",
  yml: "yaml",
  yaml: "yaml",
};

/** Null: no known language. */
export function languageOf(path: string): string | null {
  const name = path.slice(path.lastIndexOf("/") + 1).toLowerCase();
  if (name === "dockerfile" || name === "containerfile") return "docker";
  const end = name.slice(name.lastIndexOf(".") + 1);
  return Object.hasOwn(ENDS, end) ? (ENDS[end] ?? null) : null;
}
