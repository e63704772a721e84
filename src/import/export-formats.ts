/** Apart from what renders them, which the list of commands need not load. */
export const EXPORTS = ["json", "csv", "markdown"] as const;
export type ExportFormat = (typeof EXPORTS)[number];
