export { default } from "@shikijs/langs/toml";
