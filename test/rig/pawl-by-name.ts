/** Lets a program of the repository import the package by its name, before it is built. For `node --import`. */
import { registerHooks } from "node:module";

const SOURCE = new URL("../../src/index.ts", import.meta.url).href;

registerHooks({
  resolve: (name, context, next) =>
    name === "pawl" ? { url: SOURCE, shortCircuit: true } : next(name, context),
});
