import { distance } from "fastest-levenshtein";

/** The known word nearest to what was typed, when it is near enough to be a slip; else undefined. */
export function nearest(typed: string, known: string[]): string | undefined {
  const ranked = known.map((word) => ({ word, steps: distance(typed, word) })).sort((a, b) => a.steps - b.steps);
  const best = ranked[0];
  return best !== undefined && best.steps <= Math.max(1, Math.floor(best.word.length / 3)) ? best.word : undefined;
}
