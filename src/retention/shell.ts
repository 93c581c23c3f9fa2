/**
 * What a command line does, in few words: its first command that is more than looking around, without directories,
 * variables, redirections, pipes and quoted texts. Null when it only looks around.
 */
export function commandOf(line: string): string | null {
  // A separator inside quotes separates nothing.
  const script = line.slice(0, LENGTH).replace(HERE_DOCUMENT, "").replace(/\\\n/g, " ").replace(QUOTED, '""');
  for (const part of script.split(/&&|\|\||[;|\n]/)) {
    const words = part.trim().split(/\s+/);
    while (words.length > 0 && /^(?:\w+=\S*|sudo|time|env|command|timeout|\d+)$/.test(words[0]!)) words.shift();
    const [program] = words;
    if (program === undefined || program === "" || LOOKING.has(program) || !/^[\w./~@][\w./~@-]*$/.test(program))
      continue;
    const end = words.findIndex((word) => /["'`$<>(){}]|^&$|^\d>/.test(word));
    const told = words.slice(0, Math.min(end < 0 ? words.length : end, WORDS)).join(" ");
    if (!LOOKING_AT_HISTORY.test(told)) return told;
  }
  return null;
}

const LENGTH = 2_000;
const WORDS = 8;
const QUOTED = /"(?:\\[\s\S]|[^"\\])*"|'[^']*'/g;
const HERE_DOCUMENT = /<<[\s\S]*$/;

/** Commands that leave nothing behind which would have to be remembered. */
const LOOKING = new Set(
  "cd ls pwd cat head tail grep rg find wc echo printf sleep which type file stat tree less sed awk sort uniq cut tr xargs true false test [ export set source . date whoami env jq diff for do done if then else fi while read".split(
    " ",
  ),
);
const LOOKING_AT_HISTORY =
  /^(?:git (?:status|log|diff|show|blame|reflog|describe|rev-parse|ls-files|ls-tree|branch(?: -|$))|gh (?:api|\w+ (?:view|list|checks)))/;
