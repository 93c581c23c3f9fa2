/**
 * Something a person can act on: what happened, where, and what to try.
 * Everything that is not a `Failure` is a bug and may crash with its stack.
 */
export class Failure extends Error {
  /** Stable dotted name for machines, such as `store.missing`. */
  readonly code: string;
  /** What to try next, most useful first; may be empty. */
  readonly tries: string[];

  constructor(code: string, message: string, options: { tries?: string[]; cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.name = "Failure";
    this.code = code;
    this.tries = options.tries ?? [];
  }
}
