/** The languages that differences are coloured in. Each grammar is a module of its own, loaded when a file needs it. */
import type { LanguageRegistration } from "@shikijs/core";

type Load = () => Promise<{ readonly default: LanguageRegistration[] }>;

export const LANGUAGES: Readonly<Record<string, Load>> = {
  bash: () => import("./languages/bash.ts"),
  c: () => import("./languages/c.ts"),
  csharp: () => import("./languages/csharp.ts"),
  css: () => import("./languages/css.ts"),
  docker: () => import("./languages/docker.ts"),
  go: () => import("./languages/go.ts"),
  html: () => import("./languages/html.ts"),
  java: () => import("./languages/java.ts"),
  javascript: () => import("./languages/javascript.ts"),
  json: () => import("./languages/json.ts"),
  kotlin: () => import("./languages/kotlin.ts"),
  markdown: () => import("./languages/markdown.ts"),
  php: () => import("./languages/php.ts"),
  python: () => import("./languages/python.ts"),
  rust: () => import("./languages/rust.ts"),
  sql: () => import("./languages/sql.ts"),
  swift: () => import("./languages/swift.ts"),
  toml: () => import("./languages/toml.ts"),
  tsx: () => import("./languages/tsx.ts"),
  typescript: () => import("./languages/typescript.ts"),
  xml: () => import("./languages/xml.ts"),
  yaml: () => import("./languages/yaml.ts"),
};

/** By the end of a file's name. C++ takes the colours of C: its own grammar is larger than all others together. */
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
  cs: "csharp",
  css: "css",
  go: "go",
  html: "html",
  htm: "html",
  java: "java",
  js: "javascript",
  mjs: "javascript",
  cjs: "javascript",
  json: "json",
  jsonl: "json",
  kt: "kotlin",
  kts: "kotlin",
  md: "markdown",
  php: "php",
  py: "python",
  rs: "rust",
  sql: "sql",
  swift: "swift",
  toml: "toml",
  tsx: "tsx",
  jsx: "tsx",
  ts: "typescript",
  mts: "typescript",
  cts: "typescript",
  xml: "xml",
  svg: "xml",
  yml: "yaml",
  yaml: "yaml",
};

/** Null: none that is known. */
export function languageOf(path: string): string | null {
  const name = path.slice(path.lastIndexOf("/") + 1).toLowerCase();
  if (name === "dockerfile" || name === "containerfile") return "docker";
  const end = name.slice(name.lastIndexOf(".") + 1);
  return Object.hasOwn(ENDS, end) ? (ENDS[end] ?? null) : null;
}
