export type Kit = typeof import("./kit.ts");

/** Loads what only an advance needs; a cold look at the state never pays for it. */
export const loadKit = (): Promise<Kit> => import("./kit.ts");
