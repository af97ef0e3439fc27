// Errors by kind. Each has a stable code, and the message that the other bindings have.

/** Base of all errors of this package. */
export class GrammarcError extends Error {
  /** @param {string} code @param {string} message @param {ErrorOptions} [options] */
  constructor(code, message, options) {
    super(message, options);
    this.code = code;
  }

  get name() {
    return this.constructor.name;
  }
}

/** An argument is invalid. */
export class ArgumentError extends GrammarcError {}

/** A file could not be read. */
export class LoadError extends GrammarcError {}

/** The engine lacks a feature of WebAssembly that the module needs. */
export class UnsupportedError extends GrammarcError {}

/** A limit was met. */
export class LimitError extends GrammarcError {
  constructor(message, limit) {
    super("limit", message);
    this.limit = limit;
  }
}

/** A file is not a whole and valid artifact. */
export class ArtifactError extends GrammarcError {}

/** An artifact belongs to another vocabulary. The message names the first token that differs. */
export class VocabularyMismatch extends ArtifactError {}

/** A token is not allowed. The matcher did not move. */
export class TokenRefused extends GrammarcError {
  constructor(code, message, token) {
    super(code, message);
    this.token = token;
  }
}

/** A text is not one of the grammar. */
export class TextRefused extends GrammarcError {
  constructor(message, offset) {
    super("refused", message);
    this.offset = offset;
  }
}

/** A defect of grammarc. The instance of the module is not used any more. */
export class InternalError extends GrammarcError {}

/** Returns the error that the module left: its code, its message, and the number beside them. */
export function errorOf(code, message, number) {
  switch (code) {
    case "format":
      return new ArtifactError(code, message);
    case "vocabulary-mismatch":
      return new VocabularyMismatch(code, message);
    case "limit:matcher":
    case "limit:ending":
    case "limit:memory":
      return new LimitError(message, code.slice("limit:".length));
    case "refused":
      return new TextRefused(message, number);
    default:
      // A position that is not restored is an invalid argument, with a code of its own.
      return new ArgumentError(code.replace("position:", ""), message);
  }
}
