// What the package exports, in every host.

export {
  ArgumentError,
  ArtifactError,
  GrammarcError,
  InternalError,
  LimitError,
  LoadError,
  TextRefused,
  TokenRefused,
  UnsupportedError,
  VocabularyMismatch,
} from "./errors.js";
export { init, initSync, versions } from "./instance.js";
export { Vocabulary } from "./vocabulary.js";
export { Grammar } from "./grammar.js";
export { Matcher } from "./matcher.js";
export { Splitter } from "./splitter.js";
