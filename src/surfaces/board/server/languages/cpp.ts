export { default } from "@shikijs/langs/cpp";
