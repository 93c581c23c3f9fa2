import type { EventKind, SessionEvent } from "../events/event.js";

/**
 * Events as attributes of sonny's own, and back: `sonny.event` names the kind, `sonny.<kind>.*` are its fields in snake
 * case, and what every event has stands under `sonny.*`. Fields that are unknown are left out. What stays behind: texts,
 * layouts, and the lists that hang on compactions and judgments (their counts travel).
 */
export const PREFIX = "sonny.";

export type OwnAttributes = Record<string, string | number | boolean | string[]>;

/** What every field of an event is: text, number, flag, list of texts, or a digest (written as hex). */
type Form = "text" | "number" | "flag" | "texts" | "digest";

const header: Record<string, Form> = {
  eventId: "digest",
  agent: "text",
  session: "text",
  lane: "text",
  turn: "text",
  tenant: "text",
  atMs: "number",
  timeQuality: "text",
  line: "number",
  offset: "number",
};

const forms = (names: Partial<Record<Form, string>>): Record<string, Form> =>
  Object.fromEntries(
    Object.entries(names).flatMap(([form, list]) => list.split(" ").map((name) => [name, form as Form] as const)),
  );

/** Every kind that travels, with its fields. */
const fields: Record<Exclude<EventKind, "content">, Record<string, Form>> = {
  session: forms({ text: "agentVersion project branch title parentSession sessionKind status" }),
  lane: forms({ text: "laneKind agentType parentLane parentToolCall" }),
  turn: forms({ number: "endedAtMs", text: "outcome branch project clientVersion" }),
  request: forms({
    text: "requestId messageId provider model requestedModel status finishReason outputQuality usageState rawUsage digestAlgorithm rewriteKind missReason estimateMethod",
    number:
      "uncachedTokens readTokens write5mTokens write1hTokens writeUnsplitTokens outputTokens reasoningTokens contextWindowTokens providerCostMicros latencyMs ttftMs missedTokens estimatedTokens copyRank",
    flag: "cacheReported",
    digest: "shellDigest shellSetDigest paramsDigest",
    texts: "declaredChanges",
  }),
  attempt: forms({ digest: "request", number: "number httpStatus backoffMs outputChars", text: "outcome errorClass" }),
  tool_call: forms({
    text: "callId tool determinism",
    flag: "useSeen resultSeen isError",
    digest: "argumentsDigest resultDigest targetDigest",
    number: "resultBytes durationMs",
  }),
  cache: forms({
    text: "layer op entryTenant policyVersion reason",
    flag: "served",
    digest: "keyDigest shellDigest entryShellDigest",
    number: "ageMs ttlMs bytes",
  }),
  divergence: forms({ text: "cluster divergenceClass judge judgeVersion sampling", number: "similarity" }),
  compaction: forms({
    text: "form recipe recipeVersion trigger outcome countMethod checkpointFault persisted",
    number: "tokensBefore tokensAfter messagesBefore messagesAfter summaryTokens summaryBytes durationMs",
    digest: "summaryDigest",
  }),
  judgment: forms({
    digest: "compaction supersedes",
    number: "score factsTotal factsPassed lowerBound upperBound",
    text: "judgeKind judge judgeVersion",
  }),
  contract: forms({ text: "contract contractVersion subjectKind subjectRef outcome code pointer detail" }),
  waiver: forms({ digest: "violation", text: "author reason", number: "expiresAtMs" }),
  scope_access: forms({ text: "resourceKind resourceRef resourceTenant access decision" }),
  memory: forms({ digest: "queryDigest", number: "candidates injected", texts: "resources" }),
  budget: forms({ text: "budget", number: "limit used", flag: "exhausted" }),
  note: forms({ text: "note name detail", number: "count" }),
  coverage: forms({ text: "fact level why" }),
};

/** Fields without a null: what they are when nothing was said. */
const least: Record<string, unknown> = {
  lane: "main",
  timeQuality: "exact",
  declaredChanges: [],
  resources: [],
  cacheReported: false,
  outputQuality: "missing",
  usageState: "partial",
  copyRank: 0,
  useSeen: false,
  resultSeen: false,
  served: false,
  exhausted: false,
  count: 1,
};

/** Each field with its form and the attribute that carries it. */
function fieldsOf(kind: keyof typeof fields): [name: string, form: Form, key: string][] {
  return [
    ...Object.entries(header).map(([name, form]): [string, Form, string] => [name, form, PREFIX + snake(name)]),
    ...Object.entries(fields[kind]).map(([name, form]): [string, Form, string] => [
      name,
      form,
      `${PREFIX}${kind}.${snake(name)}`,
    ]),
  ];
}

/** The names of all own attributes, by kind; null stands for those of every kind. */
export function ownFields(): { kind: string | null; names: string[] }[] {
  const common = Object.keys(header).map((name) => PREFIX + snake(name));
  const kinds = Object.keys(fields) as (keyof typeof fields)[];
  return [
    { kind: null, names: [`${PREFIX}event`, ...common] },
    ...kinds.map((kind) => ({
      kind,
      names: fieldsOf(kind)
        .slice(common.length)
        .map(([, , key]) => key),
    })),
  ];
}

/** The event's known fields; null for events that do not travel. */
export function ownAttributes(event: SessionEvent): OwnAttributes | null {
  if (event.kind === "content") return null;
  const attributes: OwnAttributes = { [`${PREFIX}event`]: event.kind };
  const values = event as unknown as Record<string, unknown>;
  for (const [name, form, key] of fieldsOf(event.kind)) {
    const value = values[name];
    if (value === null || value === undefined || (Array.isArray(value) && value.length === 0)) continue;
    attributes[key] = form === "digest" ? (value as Buffer).toString("hex") : (value as string);
  }
  return attributes;
}

/** The event that these attributes stand for; null when its kind or its identity cannot be read. */
export function ownEvent(attributes: Record<string, unknown>): SessionEvent | null {
  const kind = attributes[`${PREFIX}event`];
  if (typeof kind !== "string" || !Object.hasOwn(fields, kind)) return null;
  const event: Record<string, unknown> = { kind };
  for (const [name, form, key] of fieldsOf(kind as keyof typeof fields)) {
    event[name] = read[form](attributes[key]) ?? least[name] ?? null;
  }
  if (event.eventId === null || event.agent === null || event.session === null) return null;
  if (kind === "request") event.segments = null;
  if (kind === "compaction") event.items = [];
  if (kind === "judgment") event.facts = [];
  return event as unknown as SessionEvent;
}

const read: Record<Form, (value: unknown) => unknown> = {
  text: (value) => (typeof value === "string" ? value : null),
  number: (value) => (typeof value === "number" ? value : null),
  flag: (value) => (typeof value === "boolean" ? value : null),
  texts: (value) => (Array.isArray(value) ? value.filter((entry) => typeof entry === "string") : null),
  digest: (value) => (typeof value === "string" && /^[0-9a-f]{32}$/.test(value) ? Buffer.from(value, "hex") : null),
};

function snake(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`).replace(/(\d+)/g, "_$1");
}
