/**
 * Texts as tokens: the same canonical form for facts and for the text they are looked up in. Lower case, compatibility
 * forms folded, punctuation around a token cut; ideographs and kana are tokens each. Only whole tokens match: `3` is
 * not in `30`, `user` not in `users_table`.
 */
export interface TextIndex {
  /** Number of tokens. */
  size: number;
  /** Positions of each term: whole tokens, their pieces, single words, and the stems of words. Ascending. */
  terms: Map<string, number[]>;
  /** Every ending of every path in the text: `cli/a.ts` and `a.ts` for `src/cli/a.ts`. */
  pathTails: Set<string>;
  /** Folders that paths in the text lead through, by every ending of two names or more: `src/cli` for `src/cli/a.ts`. */
  folders: Set<string>;
}

export function indexOf(...texts: string[]): TextIndex {
  const index: TextIndex = { size: 0, terms: new Map(), pathTails: new Set(), folders: new Set() };
  for (const text of texts) {
    for (const token of tokensOf(text)) add(index, token);
    // Nothing reaches over the end of a text.
    index.size += GIST_WINDOW;
  }
  return index;
}

/** A text's tokens, in order. */
export function tokensOf(text: string): string[] {
  const plain = text
    .normalize("NFKC")
    .toLowerCase()
    .replace(AMOUNT, (_, count, unit) => `${count}${UNITS[unit] ?? unit}`);
  const found = plain.match(TOKEN) ?? [];
  return found.map((token) => token.replace(EDGES, "")).filter((token) => token !== "");
}

const TOKEN =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]|[^\s"'`“”‘’«»()[\]{}<>,;!|*\\\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]+/gu;
const EDGES = /^[./:+#@~=&?\-–—…→•]+|[./:+#@~=&?\-–—…→•]+$/gu;

/** An amount and its unit are one token: `30 seconds` is `30s`. */
const AMOUNT =
  /(?<![\w.])(\d{1,15}(?:\.\d{1,9})?) ?(ms|s|secs?|seconds?|mins?|minutes?|hours?|h|days?|[kmgt]i?b|bytes|px|%|tokens|lines|rows|requests|chars)(?!\w)/g;
const UNITS: Record<string, string> = Object.fromEntries(
  Object.entries({ s: "sec secs second seconds", min: "mins minute minutes", h: "hour hours", day: "days" }).flatMap(
    ([short, long]) => long.split(" ").map((unit) => [unit, short]),
  ),
);

/** Single words of a token, its numbers apart from their units. */
export function wordsOf(token: string): string[] {
  return token.match(/\p{L}[\p{L}\p{N}_$]*|\p{N}+|[_$][\p{L}\p{N}_$]+/gu) ?? [];
}

/** English endings are cut, so that `migrations` and `migration` are one word. Crude, and the same everywhere. */
export function stemOf(word: string): string {
  if (word.length < 5 || !/^[a-z]+$/.test(word)) return word;
  return word.replace(/(?:ations?|ings?|ies|ied|ed|es|s|ly|e|y)$/, (end) => (word.length - end.length >= 3 ? "" : end));
}

/** Places in paths where an ending can begin; deeper ones are not looked at. */
const PATH_DEPTH = 24;

/** Endings of a path, the longest (the path itself) first. */
export function tailsOf(path: string): string[] {
  const tails = [path];
  for (let at = path.indexOf("/"); at >= 0 && tails.length < PATH_DEPTH; at = path.indexOf("/", at + 1)) {
    if (at + 1 < path.length) tails.push(path.slice(at + 1));
  }
  return tails;
}

/** Folders that a path leads through; one name alone says too little. */
function foldersOf(path: string): string[] {
  const folders: string[] = [];
  for (let at = path.lastIndexOf("/"); at > 0; at = path.lastIndexOf("/", at - 1)) folders.push(path.slice(0, at));
  return folders.filter((folder) => folder.includes("/"));
}

function add(index: TextIndex, token: string): void {
  const at = index.size;
  index.size += 1;
  const put = (term: string) => {
    const positions = index.terms.get(term);
    if (positions === undefined) index.terms.set(term, [at]);
    else if (positions.at(-1) !== at) positions.push(at);
  };
  put(token);
  if (/^\p{L}+$/u.test(token)) {
    put(stemOf(token));
    return;
  }
  for (const piece of token.split(/[:=?&#]+/)) {
    const clean = piece.replace(EDGES, "");
    if (clean === "") continue;
    put(clean);
    if (!clean.includes("/") || clean.length >= 1000) continue;
    for (const tail of tailsOf(clean)) {
      index.pathTails.add(tail);
      for (const folder of foldersOf(tail)) index.folders.add(folder);
    }
  }
  for (const word of wordsOf(token)) {
    put(word);
    put(stemOf(word));
  }
}

/** How a fact is looked up. */
export type Sought =
  /** One token. */
  | { form: "term"; term: string }
  /** A path, by itself or by an ending that no other fact shares. */
  | { form: "path"; path: string; tails: string[] }
  /** Tokens one after the other. */
  | { form: "run"; terms: string[] }
  /** Most of the words near each other: sentences are rarely repeated word by word. */
  | { form: "gist"; terms: string[] };

export const GIST_WINDOW = 60;
const GIST_SHARE = 0.6;

export function holds(index: TextIndex, sought: Sought): boolean {
  switch (sought.form) {
    case "term":
      return index.terms.has(sought.term);
    case "path":
      return (
        index.pathTails.has(sought.path) ||
        index.folders.has(sought.path) ||
        index.terms.has(sought.path) ||
        sought.tails.some((tail) => index.terms.has(tail))
      );
    case "run":
      return holdsRun(index, sought.terms);
    case "gist":
      return holdsGist(index, sought.terms);
  }
}

function holdsRun({ terms }: TextIndex, [first, ...rest]: string[]): boolean {
  const starts = first === undefined ? undefined : terms.get(first);
  if (starts === undefined) return false;
  const others = rest.map((term) => terms.get(term));
  if (others.includes(undefined)) return false;
  return starts.some((at) => others.every((positions, i) => hasPosition(positions!, at + i + 1)));
}

function hasPosition(positions: number[], wanted: number): boolean {
  let [low, high] = [0, positions.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (positions[middle]! < wanted) low = middle + 1;
    else high = middle;
  }
  return positions[low] === wanted;
}

function holdsGist({ terms }: TextIndex, wanted: string[]): boolean {
  const needed = Math.max(Math.min(2, wanted.length), Math.ceil(wanted.length * GIST_SHARE));
  const seen = wanted.flatMap((term, which) => (terms.get(term) ?? []).map((at): [number, number] => [at, which]));
  if (new Set(seen.map(([, which]) => which)).size < needed) return false;
  seen.sort(([a], [b]) => a - b);
  const inside = new Map<number, number>();
  let from = 0;
  for (const [at, which] of seen) {
    inside.set(which, (inside.get(which) ?? 0) + 1);
    while (seen[from]![0] <= at - GIST_WINDOW) {
      const gone = seen[from]![1];
      const left = inside.get(gone)! - 1;
      if (left === 0) inside.delete(gone);
      else inside.set(gone, left);
      from += 1;
    }
    if (inside.size >= needed) return true;
  }
  return false;
}
