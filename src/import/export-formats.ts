/** In a file without the renderers, so that the list of commands does not load them. */
export const EXPORTS = ["json", "csv", "markdown", "yaml"] as const;
export type ExportFormat = (typeof EXPORTS)[number];
