/** The workflows of the gallery, the most general first. */
export const TEMPLATES = [
  "release",
  "incident",
  "postmortem",
  "bug-triage",
  "security-fix",
  "dependency-upgrade",
  "data-migration",
  "rfc",
  "docs-review",
  "onboarding",
] as const;

export type TemplateName = (typeof TEMPLATES)[number];
