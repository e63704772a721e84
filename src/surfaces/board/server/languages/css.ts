export { default } from "@shikijs/langs/css";
