import { closeSync, mkdtempSync, openSync, readSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Decompress } from "fzstd";

/** A file that cannot be unpacked. */
export class Damaged extends Error {}

/**
 * Opens a transcript for reading. A compressed one is unpacked into a temporary file that only the returned descriptor
 * keeps alive, so that memory stays bounded. Throws `Damaged`.
 */
export function openTranscript(path: string): { packed: number | null; file: number } {
  const opened = openSync(path, "r");
  if (!path.endsWith(".zst")) return { packed: null, file: opened };
  try {
    return { packed: opened, file: unpacked(opened) };
  } catch (error) {
    closeSync(opened);
    throw error;
  }
}

const PIECE_BYTES = 256 * 1024;

function unpacked(packed: number): number {
  const folder = mkdtempSync(join(tmpdir(), "sonny-unpacked-"));
  const file = openSync(join(folder, "transcript"), "wx+", 0o600);
  try {
    unpack(packed, file);
    return file;
  } catch (error) {
    closeSync(file);
    if ((error as NodeJS.ErrnoException).syscall !== undefined) throw error;
    throw new Damaged("cannot be unpacked: damaged, or still being written");
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function unpack(packed: number, file: number): void {
  const decoder = new Decompress((bytes) => {
    for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at);
  });
  while (true) {
    const piece = new Uint8Array(PIECE_BYTES);
    const got = readSync(packed, piece);
    decoder.push(piece.subarray(0, got), got === 0);
    if (got === 0) return;
  }
}
