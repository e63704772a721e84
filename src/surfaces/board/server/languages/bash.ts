export { default } from "@shikijs/langs/bash";
