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
  "two-model-review",
  "until-green",
  "release-with-notes",
  "issue-triage",
  "upgrade-everywhere",
  "wish-to-merge",
] as const;

export type TemplateName = (typeof TEMPLATES)[number];
