/**
 * Whether a checkpoint is one at all, before anybody asks how much it kept. Decided from its text, the size of what it
 * replaced, and whether an earlier one said the same; nothing else is read, so the answer is the same everywhere.
 */
export function checkpointFault(text: string, replaced: Replaced): CheckpointFault {
  const body = text.trim();
  const tokens = Math.ceil(Buffer.byteLength(body) / BYTES_PER_TOKEN);
  const { removedTokens, repeatsEarlier } = replaced;
  if (body === "") return "empty";
  if (repeatsEarlier) return "repeated";
  if (removedTokens !== null && tokens > removedTokens) return "longer_than_removed";
  if (isReply(body)) return "reply";
  if (removedTokens !== null && tokens < SHORT_TOKENS && tokens < removedTokens * SHORT_SHARE) return "too_short";
  return isCutOff(body) ? "cut_off" : "none";
}

export type CheckpointFault =
  | "none"
  /** No text. */
  | "empty"
  /** Equal to the checkpoint before it. */
  | "repeated"
  /** Estimated to be longer than what it replaced. */
  | "longer_than_removed"
  /** Under 200 tokens and under 0.5 % of what it replaced. */
  | "too_short"
  /** An answer to the user in place of a checkpoint: a pleasantry, "I" and "you", and nothing of substance. */
  | "reply"
  /** Ends in the middle of a sentence or of a code block. */
  | "cut_off";

export interface Replaced {
  /** Tokens of the context that was replaced; null when unknown: then sizes are not judged. */
  removedTokens: number | null;
  /** True when the text equals an earlier checkpoint of the session. */
  repeatsEarlier: boolean;
}

const BYTES_PER_TOKEN = 4;
const SHORT_TOKENS = 200;
const SHORT_SHARE = 0.005;

function isReply(body: string): boolean {
  return (
    PLEASANTRY.test(body) && /\b(?:I|I'm|I've|I'll|I'd)\b/.test(body) && /\byou\b/i.test(body) && !SUBSTANCE.test(body)
  );
}

const PLEASANTRY =
  /^(?:sure|certainly|of course|absolutely|great|thanks|thank you|hello|hi|okay|ok|got it|understood|no problem|happy to|glad to|sorry|i'd be happy|i'm happy|i understand|you're (?:right|welcome))\b/i;

/** A path, a code span, a URL, a version or number with a unit, a name in snake or camel case, a list. */
const SUBSTANCE =
  /`[^`]+`|https?:\/\/|(?:^|\s)[~.]{0,2}\/?[\w.-]+\/[\w.-]+|\b\w+\.[a-z]{1,5}\b(?=[\s,;:)]|$)|\b\d{2,}\b|\bv?\d+\.\d+|\b[a-z]+(?:_[a-z]+)+\b|\b[a-z]+[A-Z]\w*|^\s*(?:[-*•]|\d+[.)])\s/m;

function isCutOff(body: string): boolean {
  const lines = body.split("\n").map((line) => line.trimEnd());
  const fences = lines.filter((line) => /^\s*```/.test(line)).length;
  if (fences % 2 === 1) return true;
  const last = lines.at(-1)!;
  if (/^\s*```/.test(last)) return false;
  if (/[,;:([{–—]$/.test(last) || DANGLING.test(last)) return true;
  const prose = lines.filter(isProse);
  const others = prose.slice(0, -1);
  return prose.at(-1) === last && !ENDED.test(last) && others.length >= 3 && others.every((line) => ENDED.test(line));
}

/** Words that no sentence ends with. */
const DANGLING = /(?:^|\s)(?:a|an|the|and|or|but|of|to|with|for|from|by|because|which|whose|into|than|if|when)$/i;
const ENDED = /[.!?…:;)"'”’`\]*_]$/;

/** A line of running text: no list item, heading, table, quotation or path. */
function isProse(line: string): boolean {
  return !/^\s*(?:[-*•#|>]|\d+[.)])/.test(line) && line.split(/\s+/).length >= 8;
}
