import { PawlError } from "../../../core/error.ts";
import { filesIn } from "../../../core/files-in.ts";
import { isId } from "../../../core/id.ts";
import type { ProjectPath } from "../../../core/path.ts";
import type { View } from "../../../core/ports/store.ts";
import { overridePath, personaPath } from "../state/paths.ts";
import { SHARED_REVIEW, type ToolDefinition } from "../tools/definition.ts";
import { type Persona, parsePersona } from "./persona.ts";
import type { TemplateSet, TemplateText } from "./prompter.ts";

const PARTIALS = [
  "build",
  "criteria",
  "feedback",
  "header",
  "next_slot",
  "notes",
  "persona",
  "plan",
  "review",
  "slot",
  "submit",
  "task",
  "verdict_ai",
  "verdict_human",
];

/** The tool's prompts and artifact templates. Each file of the project's own overrides the packaged one. */
export async function loadTemplates(view: View, definition: ToolDefinition): Promise<TemplateSet> {
  const found = await loadOwn(view, [
    `prompts/${definition.name}`,
    "prompts/review",
    "prompts/partials",
    "artifacts",
  ]);
  const templates = new Map<string, TemplateText>(found);
  for (const name of packagedNames(definition)) {
    if (templates.has(name)) continue;
    const path = name.startsWith("artifacts/") ? `alfred/templates/${name}.md` : `alfred/${name}.md`;
    const text = await view.packaged(path);
    if (text !== null) templates.set(name, { source: path, text });
  }
  return templates;
}

/** The template for a state: the tool's own, else the one for the review state, else the reviewer's. */
export function promptFor(
  templates: TemplateSet,
  tool: string,
  state: string,
  reviewer: "ai" | "human" | null,
): string {
  const templateName = `prompts/${tool}/${state}`;
  if (reviewer === null || templates.has(templateName)) return templateName;
  const byState = `prompts/review/${state}`;
  return templates.has(byState) ? byState : `prompts/review/${SHARED_REVIEW[reviewer]}`;
}

/** `GitStatusArtifact` → `artifacts/git_status` */
export function artifactTemplate(name: string): string {
  const words = name.replace(/Artifact$/, "").replace(/(?<=[a-z])(?=[A-Z])/g, "_");
  return `artifacts/${words.toLowerCase()}`;
}

function packagedNames(definition: ToolDefinition): readonly string[] {
  const states = definition.steps.flatMap((step) => [step.state, ...(step.review ? [step.review] : [])]);
  const opening = definition.opening ? [definition.opening.state] : [];
  const shared = Object.values(SHARED_REVIEW);
  return [
    ...PARTIALS.map((name) => `prompts/partials/${name}`),
    ...[...opening, ...states, ...shared].map((state) => `prompts/${definition.name}/${state}`),
    ...[...states, ...shared].map((state) => `prompts/review/${state}`),
    ...definition.steps.map((step) => artifactTemplate(step.artifact)),
  ];
}

async function loadOwn(view: View, folders: readonly string[]): Promise<readonly [string, TemplateText][]> {
  const found: [string, TemplateText][] = [];
  for (const folder of folders) {
    for (const name of await filesIn(view, overridePath(folder), ".md")) {
      const path = overridePath(`${folder}/${name}.md`);
      const text = await view.read(path);
      if (text !== null) found.push([`${folder}/${name}`, { source: path, text }]);
    }
  }
  return found;
}

/** Throws `persona-missing` or `persona-invalid`. */
export async function loadPersona(view: View, name: string): Promise<Persona> {
  if (!isId(name)) throw missingPersonaError(name, null);
  const path = personaPath(name);
  const text = await view.read(path);
  if (text !== null) return parsePersona(text, path);
  const packaged = await view.packaged(`alfred/personas/${name}.yml`);
  if (packaged === null) throw missingPersonaError(name, path);
  return parsePersona(packaged, `alfred/personas/${name}.yml`);
}

function missingPersonaError(name: string, path: ProjectPath | null): PawlError {
  return new PawlError(
    "persona-missing",
    `There is no persona ${JSON.stringify(name)}; packaged are onboarding and planning.`,
    path === null
      ? "Use a name of A-Z a-z 0-9 . _ - in `personas` of the configuration."
      : `Create ${path}, or correct \`personas\` in the configuration.`,
  );
}
