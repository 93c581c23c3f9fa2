/** Why cached tokens were not read again, as far as the evidence tells. A closed list: `unknown` is counted and shown. */
const CAUSES = [
  "compaction",
  "model",
  "tools",
  "instructions",
  "history",
  "mode",
  "upgrade",
  "resume",
  "ttl_lapse",
  "unknown",
] as const;
export type Cause = (typeof CAUSES)[number];

/** Who can do something about it; losses after a compaction are expected and nobody's fault. */
export type Actor = "user" | "harness" | "provider" | "nobody";

interface About {
  actor: Actor;
  /** What happened, in words. */
  meaning: string;
  /** What to do about it. */
  fix: string;
}

export const ABOUT: Record<Cause, About> = {
  compaction: {
    actor: "nobody",
    meaning: "the context was compacted",
    fix: "nothing: the new prefix has to be written once",
  },
  model: { actor: "user", meaning: "another model was used", fix: "switch models between tasks, not within one" },
  tools: {
    actor: "harness",
    meaning: "the tool definitions changed",
    fix: "keep tools and their order fixed within a session",
  },
  instructions: {
    actor: "harness",
    meaning: "the instructions changed",
    fix: "keep clocks, git state and late additions out of the system prompt",
  },
  history: {
    actor: "harness",
    meaning: "earlier messages changed",
    fix: "append to the conversation, do not rewrite it",
  },
  mode: { actor: "user", meaning: "the mode was switched", fix: "switch modes between tasks" },
  upgrade: { actor: "user", meaning: "the client was upgraded", fix: "upgrade between tasks" },
  resume: { actor: "harness", meaning: "the session was resumed", fix: "resume within the lifetime of the cache" },
  ttl_lapse: {
    actor: "user",
    meaning: "the pause was longer than the entry lives",
    fix: "go on sooner, or compact or start anew after a long pause",
  },
  unknown: {
    actor: "provider",
    meaning: "nothing that was recorded explains it",
    fix: "compare the shells of both requests, if your agent records them",
  },
};

/** What one pair of requests says for and against each cause. */
export interface Signs {
  /** The provider's own reason, as it spells it; null when none was recorded. */
  providerReason: string | null;
  /** Reasons that the agent recorded for a change between the two requests. */
  declared: string[];
  compacted: boolean;
  modelChanged: boolean;
  /** Time between the two requests and the longest lifetime written before; null when unknown. */
  gapMs: number | null;
  ttlMs: number | null;
}

export interface Attribution {
  cause: Cause;
  /** What else would have lost the cache by itself. */
  coCauses: Cause[];
  /** `provider` said so itself; `usage` is drawn from usage, times and recorded changes. */
  evidence: "provider" | "usage";
  /** What usage alone would have said; the same as `cause` unless the provider spoke. */
  usageCause: Cause;
}

/**
 * One cause for a miss. A compaction explains everything; then the provider's own reason; then what changed before it
 * could have been read; then the lifetime. The order is that in which a client would have to repair things.
 */
export function causeOf(signs: Signs): Attribution {
  const said = signs.providerReason === null ? undefined : PROVIDER.get(signs.providerReason);
  const drawn = drawnFrom(signs);
  const usageCause = drawn[0] ?? "unknown";
  if (drawn[0] === "compaction" || said === undefined) {
    return { cause: usageCause, coCauses: drawn.slice(1), evidence: "usage", usageCause };
  }
  return { cause: said, coCauses: drawn.filter((cause) => cause !== said), evidence: "provider", usageCause };
}

/** Causes that the recorded signs speak for, first the one that has to be repaired first. */
function drawnFrom({ declared, compacted, modelChanged, gapMs, ttlMs }: Signs): Cause[] {
  const causes: Cause[] = [];
  if (compacted || declared.includes("compaction")) causes.push("compaction");
  if (modelChanged || declared.includes("model")) causes.push("model");
  for (const cause of ["tools", "instructions", "mode", "upgrade", "resume"] as const) {
    if (declared.includes(cause)) causes.push(cause);
  }
  if (gapMs !== null && ttlMs !== null && gapMs > ttlMs) causes.push("ttl_lapse");
  return causes;
}

/** The provider's words. Those that name no change (`unavailable`, `previous_message_not_found`) decide nothing. */
export const PROVIDER: ReadonlyMap<string, Cause> = new Map([
  ["model_changed", "model"],
  ["tools_changed", "tools"],
  ["system_changed", "instructions"],
  ["messages_changed", "history"],
  ["input_changed", "history"],
  ["context_compacted", "compaction"],
]);
