import type { Store } from "./open.js";

/** Texts that the user asked to keep, looked up one by one by the hex of their digest. */
export interface Texts {
  get(digest: string): string | undefined;
}

export function textsOf({ raw }: Store): Texts {
  const find = raw.prepare("SELECT text FROM contents WHERE digest = ? LIMIT 1").pluck();
  return { get: (digest) => find.get(Buffer.from(digest, "hex")) as string | undefined };
}
