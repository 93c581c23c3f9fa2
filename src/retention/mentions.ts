import type { Call, Passage, Result, Text } from "./passages.js";
import { commandOf } from "./shell.js";
import { GIST_WINDOW, holds, indexOf, type Sought, stemOf, tokensOf, wordsOf } from "./text-index.js";

/** A kind of fact, and how much losing one matters. */
export const WEIGHTS = {
  modified_file: 2,
  read_file: 1,
  command: 1,
  test_result: 2,
  error: 2,
  identifier: 1,
  path: 1,
  url: 1,
  number: 1,
  version: 1,
  hash: 1,
  user_constraint: 3,
  decision: 2,
  open_item: 2,
} as const;
export type FactKind = keyof typeof WEIGHTS;

/** One place where a fact stands. */
export interface Mention {
  kind: FactKind;
  /** What it says, in canonical form: equal values are one fact. */
  value: string;
  /** As it stands in the text, cut to 500 characters. */
  words: string;
  sought: Sought;
  /** What a later mention with another value would replace, such as the result of the same command; null: nothing. */
  subject: string | null;
  /** True when one mention is enough; else the fact must be mentioned in two passages. */
  alone: boolean;
  /** Path under which the value can be found again; null when there is none. */
  pointer: string | null;
}

/** Facts of one passage. `call` is the call that a result answers; null when it is not known. */
export function mentionsIn(passage: Passage, call: Call | null): Mention[] {
  switch (passage.kind) {
    case "user":
      return [...constraintsIn(passage.text), ...spansIn(passage.text)];
    case "assistant":
    case "checkpoint":
      return [...decisionsIn(passage), ...spansIn(passage.text)];
    case "reinjected":
      return [];
    case "call":
      return callMentions(passage);
    case "result":
      return resultMentions(passage, call);
    case "plan":
      return passage.items.filter(({ open }) => open).flatMap(({ text }) => sentence("open_item", text));
  }
}

function callMentions({ action, target, command, arguments: given }: Call): Mention[] {
  const file = target === null || action === "run" ? [] : pathMention(FILE_KINDS[action], target, true, null);
  const run = command === null ? null : commandOf(command);
  const commands = run === null || tokensOf(run).length === 0 ? [] : [found("command", run, runOf(run), true)];
  const short = [command ?? "", ...given].filter((text) => text.length <= BODY_LENGTH);
  return [...file, ...commands, ...short.flatMap((text) => literalsIn(text, true, target))];
}

const FILE_KINDS = { read: "read_file", modify: "modified_file", other: "path" } as const;
/** Longer arguments are contents, and what is in a file can be read there. */
const BODY_LENGTH = 300;

/** The line of a failure that tells it; the counts in the last lines of a test run. */
function resultMentions({ isError, text }: Result, call: Call | null): Mention[] {
  const subject = call === null ? null : subjectOf(call);
  const pointer = call?.target ?? null;
  const mentions: Mention[] = [];
  if (isError) {
    for (const mention of sentence("error", failureIn(text))) mentions.push({ ...mention, subject, pointer });
  }
  if (call !== null && call.action !== "run") return mentions;
  const counts = text
    .slice(-EDGE_LENGTH)
    .split("\n")
    .slice(-LAST_LINES)
    .flatMap((line) => [...line.matchAll(TEST_COUNT)]);
  const shown = counts.map(([count]) => count.toLowerCase().replace(/\s+/g, " ")).filter((count) => !/^0 /.test(count));
  const terms = [...new Set(shown.flatMap((count) => count.split(" ").map(stemOf)))].slice(0, 6);
  if (terms.length > 0) {
    const value = shown.join(", ").slice(0, SENTENCE_LENGTH);
    mentions.push({ ...found("test_result", value, { form: "gist", terms }, true), subject, pointer });
  }
  return mentions;
}

/** The first line that sounds like a failure: before it stands what went well, or what was called. Else the first one. */
function failureIn(text: string): string {
  const edges = text.length <= 2 * EDGE_LENGTH ? text : `${text.slice(0, EDGE_LENGTH)}\n${text.slice(-EDGE_LENGTH)}`;
  const lines = edges.split("\n").filter((line) => /\p{L}/u.test(line) && !EXIT.test(line.trim()));
  return lines.find((line) => FAILURE.test(line)) ?? lines[0] ?? "";
}

const FAILURE =
  /error|exception|fail|fatal|cannot|can't|could not|unable|not found|no such|denied|refused|unexpected|invalid|undefined|unmatched|unknown|missing|timed out|does not exist|must be|conflict/i;
const EDGE_LENGTH = 2_000;
const LAST_LINES = 12;
const EXIT = /^(?:<tool_use_error>)?(?:error: )?(?:process |command )?exit(?:ed)?(?: with)?(?: code)?:? \d+$/i;
const TEST_COUNT =
  /\b\d{1,7} (?:tests? |specs? |examples? )?(?:passed|failed|passing|failing|failures?|errors?|skipped|pending|ok)\b/gi;

/** What a later run of the same command, or a later use of the tool on the same file, would replace. */
export function subjectOf({ action, command, target }: Call): string | null {
  const what = command === null ? target : (commandOf(command) ?? command.trim());
  return what === null ? null : `${action} ${what}`;
}

/** What the user demanded: whole sentences, without code and quotations. */
function constraintsIn(text: string): Mention[] {
  return sentencesOf(text)
    .filter((words) => DEMAND.test(words) && !words.endsWith("?"))
    .flatMap((words) => sentence("user_constraint", words));
}

/** Words that always demand something, and words that do so at the beginning of a clause: "only if it rains" does not. */
const DEMAND =
  /\b(?:must|never|always|should(?:n['’]t| not)|may not|make sure|ensure|at (?:most|least)|no more than|(?:i|we) (?:don['’]t|do not) want|without (?:changing|touching|breaking|using))\b|(?:^|[,;:]\s*|\b(?:please|and|but|then|you|should|to)\s+)(?:only|keep|avoid|don['’]?t|do not)\b/i;

function decisionsIn({ text }: Text): Mention[] {
  return sentencesOf(text)
    .filter((words) => DECISION.test(words))
    .flatMap((words) => sentence("decision", words));
}

const DECISION = /\b(?:instead of|rather than|decided|because)\b/i;

/** Longer texts are looked at so far: a person writes less, and what a person pasted is no demand. */
const PROSE_LENGTH = 100_000;

function sentencesOf(text: string): string[] {
  return text
    .slice(0, PROSE_LENGTH)
    .replace(/```[\s\S]*?(?:```|$)/g, "\n")
    .split(/\n+|(?<=[.!?])\s+/)
    .map((part) => part.replace(/^[\s>*#•\-–]+|^\s*\d+[.)]\s+/g, "").trim())
    .filter((part) => part.length >= 8 && part.length <= SENTENCE_LENGTH);
}

const SENTENCE_LENGTH = 500;

/** A sentence is sought by its telling words. One without any is no fact. */
function sentence(kind: FactKind, text: string): Mention[] {
  const tokens = tokensOf(text.slice(0, SENTENCE_LENGTH)).slice(0, GIST_WINDOW);
  const words = tokens.flatMap((token) => wordsOf(token)).map(stemOf);
  const terms = [...new Set(words)]
    .filter((word) => !DULL.has(word) && (word.length > 1 || /[\p{N}\p{Lo}]/u.test(word)))
    .slice(0, GIST_TERMS);
  if (terms.length < 2) return [];
  return [found(kind, text, { form: "gist", terms }, true, terms.join(" "))];
}

const GIST_TERMS = 16;

/** Words that tell no sentence from another, in the form in which they are compared. */
const DULL = new Set(
  `a about above after again all also always am an and any are as at avoid be because been before being below both but by can
  cannot could decided did do does doing don't don during each ensure few for from further get going had has have having he
  her here him his how i i'll i'm i've if in instead into is isn't it it's its just keep know let let's like make may me
  might more most must my need never no not now of off ok okay on once only or other our out over own please rather same
  see she should shouldn't so some such sure than that the their them then there these they this those through to too
  under until up us use used using very want was way we we'll well were what when where which while who why will with
  without would yes you you're your ll ve re nt`
    .split(/\s+/)
    .map(stemOf),
);

/** Names and literals in code spans and urls of running text. */
function spansIn(text: string): Mention[] {
  const prose = text.slice(0, PROSE_LENGTH);
  const spans = [...prose.matchAll(/`([^`\n]{1,200})`/g)].map(([, span]) => span!);
  const links = [...prose.matchAll(URL)].map(([link]) => link);
  return [...spans, ...links].flatMap((span) => literalsIn(span, false, null));
}

/** Addresses, paths, versions, hashes, amounts and identifiers in a short text. */
function literalsIn(text: string, alone: boolean, pointer: string | null): Mention[] {
  const mentions: Mention[] = [];
  const take = (pattern: RegExp, make: (match: string) => Mention[]) => {
    rest = rest.replace(pattern, (match) => {
      mentions.push(...make(match));
      return " ";
    });
  };
  const term = (kind: FactKind) => (match: string) => termMention(kind, match, alone, pointer);
  let rest = text;
  take(URL, term("url"));
  take(PATH, (match) => (match.startsWith("/dev/") ? [] : pathMention("path", match, alone, null)));
  take(VERSION, term("version"));
  take(HASH, (match) => (/\d/.test(match) && /[a-f]/.test(match) ? term("hash")(match) : []));
  take(AMOUNT, term("number"));
  take(IDENTIFIER, (match) => (ABBREVIATION.test(match) ? [] : term("identifier")(match)));
  // A code span that is nothing but one word or number names something too.
  if (mentions.length === 0 && !alone && /^[\p{L}\p{N}_.-]{1,40}$/u.test(text.trim())) {
    mentions.push(...termMention("identifier", text.trim(), alone, pointer));
  }
  // What is a part of a longer token here would not be found in a copy of this very text.
  const own = indexOf(text);
  return mentions.filter(({ sought }) => holds(own, sought));
}

const URL = /\bhttps?:\/\/[^\s"'`<>()[\]{}|\\^]{3,500}/gi;
const PATH =
  /(?:~|\.{1,2})?\/?(?:[\w@.+-]{1,100}\/){1,30}[\w@+.-]{1,100}|\b[\w-]{1,80}\.(?:[cm]?[jt]sx?|py|go|rs|java|rb|php|cs|cpp|hpp|md|json|ya?ml|toml|lock|sh|sql|css|html|txt|proto|swift|kt)\b/g;
const VERSION = /\bv?\d{1,5}\.\d{1,5}\.\d{1,7}(?:-[\w.]{1,30})?\b/g;
const HASH = /\b[0-9a-f]{7,64}\b/g;
const AMOUNT =
  /\b\d{1,15}(?:\.\d{1,9})? ?(?:ms|s|secs?|seconds?|mins?|minutes?|hours?|days?|[kmgt]i?b|bytes|px|%|tokens|lines|rows|requests|chars)(?![\w])/gi;
const IDENTIFIER =
  /(?<![\w$-])(?:[A-Za-z_$][\w$]*(?:(?:\.|::)[A-Za-z_$][\w$]*){1,6}|[a-z]+[A-Z][\w$]*|[A-Z][a-z]+[A-Z][\w$]*|[A-Za-z]+_[\w$]+|[A-Za-z_$][\w$]{2,}(?=\(\)))/g;

/** "e.g" and the like. */
const ABBREVIATION = /^[a-z]\.[a-z]$/i;

function termMention(kind: FactKind, text: string, alone: boolean, pointer: string | null): Mention[] {
  const tokens = tokensOf(text);
  if (tokens.length !== 1 || tokens[0]!.length > 500) return [];
  return [{ ...found(kind, text, { form: "term", term: tokens[0]! }, alone), pointer }];
}

/** Endings are filled in where all paths are known. */
function pathMention(kind: FactKind, text: string, alone: boolean, pointer: string | null): Mention[] {
  const tokens = tokensOf(text);
  // A path with blanks is sought as its tokens.
  if (tokens.length === 0 || text.length > 1_000) return [];
  const path = tokens[0]!;
  const sought: Sought = tokens.length > 1 ? { form: "run", terms: tokens } : { form: "path", path, tails: [] };
  return [{ ...found(kind, text, sought, alone), pointer }];
}

const runOf = (text: string): Sought => ({ form: "run", terms: tokensOf(text) });

function found(
  kind: FactKind,
  text: string,
  sought: Sought,
  alone: boolean,
  value = tokensOf(text).join(" "),
): Mention {
  const words = text.trim().slice(0, SENTENCE_LENGTH);
  return { kind, value, words, sought, subject: null, alone, pointer: null };
}
