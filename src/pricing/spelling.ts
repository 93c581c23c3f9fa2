/**
 * The ways in which price lists spell a model, the given one first: `claude-opus-4-6[1m]`, `claude-sonnet-4@20250514`,
 * `claude-sonnet-4.6`, a date at the end, a declared alias. Every spelling names the same model; there is no prefix
 * match and no nearest name.
 */
export function spellings(model: string, aliases: Record<string, string>): string[] {
  const plain = model.replace(/\[[^\]]*\]$/, "");
  const dashed = plain.replaceAll("@", "-");
  const undated = dashed.replace(/-(?:\d{8}|\d{4}-\d{2}-\d{2})$/, "");
  const names = [model, plain, dashed, ...digits(dashed), undated, ...digits(undated)];
  const known = names.flatMap((name) => (Object.hasOwn(aliases, name) ? [aliases[name]!] : []));
  return [...new Set([...names, ...known])];
}

/** Claude's version numbers are written with a dot by some providers and with a dash by others. */
function digits(name: string): string[] {
  if (!name.includes("claude-")) return [];
  return [name.replaceAll(/(\d)\.(\d)/g, "$1-$2"), name.replace(/-(\d)-(\d)(?=$|-)/, "-$1.$2")];
}

/** A model as Amazon Bedrock names it: an optional region, the vendor, and an optional version. */
export function bedrockName(model: string): { vendor: string; model: string; spellings: string[] } | null {
  const id = model.replace(/^arn:[^/]*\//, "");
  const found = /^(?:([a-z]{2,6})\.)?(anthropic|amazon|meta|mistral|deepseek|cohere)\.(.+?)(-v\d+)?(:\d+)?$/.exec(id);
  if (found === null) return null;
  const [, region, vendor = "", name = "", version = ""] = found;
  const prefix = region === undefined ? "" : `${region}.`;
  const versions = [`${version}:0`, version, ""].filter((text) => text !== ":0");
  return {
    vendor,
    model: name,
    spellings: [...new Set([id, ...versions.map((text) => `${prefix}${vendor}.${name}${text}`)])],
  };
}
