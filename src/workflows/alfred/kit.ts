/** What only an advance needs, loaded with the first one: schemas, templates, the markdown and YAML parsers. */
export { type Persona, parsePersona } from "./persona.ts";
export { render } from "./prompter.ts";
export { completed, renderStructure } from "./structure.ts";
export { parseTask, renderTask } from "./task-file.ts";
export { validate } from "./validate.ts";
