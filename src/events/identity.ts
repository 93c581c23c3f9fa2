import { createHash, randomBytes } from "node:crypto";
import type { Digest } from "./event.js";

/** Name of the digest used for contents and shells; digests of different algorithms are never compared. */
export const DIGEST_ALGORITHM = "sha256/16";

/** First 16 bytes of SHA-256 over the bytes, or over the text as UTF-8. */
export function digestOf(content: string | Uint8Array): Digest {
  return createHash("sha256").update(content).digest().subarray(0, 16);
}

/**
 * Identity of an imported thing: a digest of its parts, kept apart by a byte that cannot occur in them.
 * The same parts give the same id in every store and in every order of import.
 */
export function eventIdOf(...parts: (string | number)[]): Digest {
  return digestOf(parts.join("\u0000"));
}

/** Identity of a fact that is recorded live: 6 bytes of time, then 10 random ones, so that ids sort by time. */
export function freshEventId(nowMs: number): Digest {
  const id = randomBytes(16);
  id.writeUIntBE(nowMs, 0, 6);
  return id;
}

/** What people and JSON see. */
export function hexOf(id: Digest): string {
  return id.toString("hex");
}
