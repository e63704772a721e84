/** Text of any letters, painted or not. */
export { default as sliceAnsi } from "slice-ansi";
export { default as stringWidth } from "string-width";
export { default as wrapAnsi } from "wrap-ansi";
