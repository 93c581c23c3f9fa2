import { existsSync } from "node:fs";
import { findFiles } from "./find.js";
import type { Importer, Surroundings } from "./importer.js";

/** What lies in one folder. */
export interface Listed {
  /** Agents that keep transcripts there; several may share a folder, and nobody owns a path of the user's. */
  agent: string | null;
  path: string;
  files: number;
  bytes: number;
}

/** Folders where the agents keep transcripts, as far as they exist, each once. */
export function existingPlaces(importers: readonly Importer[], surroundings: Surroundings): Map<string, string> {
  const places = new Map<string, string>();
  for (const importer of importers) {
    for (const path of importer.places(surroundings)) {
      if (!places.has(path) && existsSync(path)) places.set(path, importer.agent);
    }
  }
  return places;
}

/** Says what is there, without reading it. */
export function listed(paths: string[], importers: readonly Importer[], places: Map<string, string>): Listed[] {
  return paths.map((path) => {
    const { files } = findFiles([path], (name) => importers.some((importer) => importer.mayBe(name)));
    const bytes = files.reduce((sum, { size }) => sum + size, 0);
    return { agent: places.get(path) ?? null, path, files: files.length, bytes };
  });
}
