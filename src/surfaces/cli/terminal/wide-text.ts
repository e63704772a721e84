/** Functions for text in any script, with or without colours. */
export { default as sliceAnsi } from "slice-ansi";
export { default as stringWidth } from "string-width";
export { default as wrapAnsi } from "wrap-ansi";
