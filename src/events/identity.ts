import * as crypto from "node:crypto";
import type { Digest } from "./event.js";

/** Name of the digest used for contents and shells; digests of different algorithms are never compared. */
export const DIGEST_ALGORITHM = "sha256/16";

/**
 * First 16 bytes of SHA-256 over the bytes, or over the text as UTF-8; `latin1` is for text that holds bytes already,
 * one per character.
 */
export function digestOf(content: string | Uint8Array, form: "utf8" | "latin1" = "utf8"): Digest {
  const digest = typeof content === "string" && form === "latin1" ? sha256OfLatin1(content) : sha256(content);
  return Buffer.from(digest.slice(0, 16), "binary");
}

const PIECE = 1 << 20;

/** Piece by piece, so that a long text is not copied as a whole. */
function sha256OfLatin1(content: string): string {
  const hash = crypto.createHash("sha256");
  for (let at = 0; at < content.length; at += PIECE) hash.update(content.slice(at, at + PIECE), "latin1");
  return hash.digest("binary");
}

/** In one call where Node can (20.12 and later); as text, because small buffers made of text share memory. */
const sha256: (content: string | Uint8Array) => string =
  typeof crypto.hash === "function"
    ? (content) => crypto.hash("sha256", content, "binary")
    : (content) => crypto.createHash("sha256").update(content).digest("binary");

/**
 * Identity of an imported thing: a digest of its parts, kept apart by a byte that cannot occur in them.
 * The same parts give the same id in every store and in every order of import.
 */
export function eventIdOf(...parts: (string | number)[]): Digest {
  return digestOf(parts.join("\u0000"));
}

/** Identity of a fact that is recorded live: 6 bytes of time, then 10 random ones, so that ids sort by time. */
export function freshEventId(nowMs: number): Digest {
  const id = crypto.randomBytes(16);
  id.writeUIntBE(nowMs, 0, 6);
  return id;
}

/** What people and JSON see. */
export function hexOf(id: Digest): string {
  return id.toString("hex");
}
