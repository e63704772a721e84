import { randomUUID } from "node:crypto";

/** A UUID of version 4, to identify something. */
export const newId: () => string = randomUUID;
