import { existsSync } from "node:fs";
import type { Levels } from "../events/facts.js";
import { transcriptsAmong } from "./import.js";
import type { Cleanup, Importer, Surroundings } from "./importer.js";

/** What lies at one place. */
export interface Place {
  path: string;
  found: boolean;
  files: number;
  bytes: number;
  /** When the files were last written: of the one longest ago, and of the newest. Null without a file. */
  oldestMs: number | null;
  newestMs: number | null;
}

/** One agent: what of it lies where, and what its transcripts can tell. */
export interface Listed {
  agent: string;
  /** All that were looked at, most usual first. */
  places: Place[];
  coverage: Levels;
  /** Null where the agent is not known to delete any. */
  cleanup: Cleanup | null;
}

/** Says what each agent has, found or not, without opening a transcript. */
export function listed(importers: readonly Importer[], surroundings: Surroundings): Listed[] {
  return importers.map((importer) => ({
    agent: importer.agent,
    places: importer.places(surroundings).map((path) => placeOf(path, [importer])),
    coverage: importer.coverage,
    cleanup: importer.cleanup?.(surroundings) ?? null,
  }));
}

/** What lies at a path, whoever wrote it. */
export function placeOf(path: string, importers: readonly Importer[]): Place {
  const found = existsSync(path);
  const { files } = transcriptsAmong(found ? [path] : [], importers);
  const place: Place = { path, found, files: files.length, bytes: 0, oldestMs: null, newestMs: null };
  for (const { size, mtimeMs } of files) {
    place.bytes += size;
    place.oldestMs = Math.min(place.oldestMs ?? mtimeMs, mtimeMs);
    place.newestMs = Math.max(place.newestMs ?? mtimeMs, mtimeMs);
  }
  return place;
}

/** Folders where the agents keep transcripts, as far as they exist, each once. */
export function existingPlaces(importers: readonly Importer[], surroundings: Surroundings): string[] {
  const places = importers.flatMap((importer) => importer.places(surroundings));
  return [...new Set(places)].filter((path) => existsSync(path));
}
