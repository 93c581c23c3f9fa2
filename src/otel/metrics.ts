import type { RequestFact } from "../events/event.js";
import { requestFact } from "../events/facts.js";
import { eventIdOf } from "../events/identity.js";
import { agentOf, providerOf, sessionOf, tenantOf } from "./origin.js";
import { asCount, type Point, textOf } from "./signals.js";
import { type Counts, exclusive, inclusive } from "./usage.js";

/** A metric that counts tokens: which attribute tells the bucket, and how the buckets are called. */
interface TokenMetric {
  /** Null when the metric itself is the bucket. */
  typeKey: string | null;
  buckets: Record<string, keyof Counts | "thoughts">;
  /** Whether the input holds the cache. */
  usage: (counts: Counts) => ReturnType<typeof inclusive>;
}

const METRICS: Record<string, TokenMetric> = {
  "claude_code.token.usage": {
    typeKey: "type",
    buckets: { input: "input", output: "output", cacheRead: "read", cacheCreation: "write" },
    usage: exclusive,
  },
  "gemini_cli.token.usage": {
    typeKey: "type",
    buckets: { input: "input", output: "output", cache: "read", thought: "thoughts" },
    usage: inclusive,
  },
  "gen_ai.client.token.usage": {
    typeKey: "gen_ai.token.type",
    buckets: { input: "input", output: "output" },
    usage: inclusive,
  },
};
for (const [name, bucket] of Object.entries({
  input_tokens: "input",
  output_tokens: "output",
  "cache_read.input_tokens": "read",
  "cache_write.input_tokens": "write",
  "reasoning.output_tokens": "reasoning",
} as const)) {
  METRICS[`gen_ai.client.inference.usage.${name}`] = { typeKey: null, buckets: { "": bucket }, usage: inclusive };
}

/** Agents that send the convention's metric beside one of their own, which says more. */
const SAYS_MORE: Record<string, string> = { "gemini-cli": "gemini_cli.token.usage" };

/**
 * Sums of tokens that only metrics tell: one row stands for all requests of one model in one interval. The points of
 * an interval that differ only in their bucket are one row. A running sum replaces its earlier value; a difference has
 * a row of its own. Points without a session say nothing that could be told apart.
 */
export function eventsOfPoints(points: Point[]): RequestFact[] {
  const rows = new Map<string, { point: Point; metric: TokenMetric; counts: Counts & { thoughts: number | null } }>();
  for (const point of points) {
    const metric = METRICS[point.metric];
    const count = asCount(point.value);
    const more = SAYS_MORE[agentOf(point)];
    if (metric === undefined || count === null || (more !== undefined && point.metric !== more)) continue;
    const bucket = metric.buckets[metric.typeKey === null ? "" : (textOf(point.attributes, metric.typeKey) ?? "")];
    if (bucket === undefined || sessionOf(point.attributes, point) === null) continue;
    const key = seriesOf(point, metric.typeKey);
    const row = rows.get(key) ?? { point, metric, counts: { ...NOTHING } };
    row.counts[bucket] = (row.counts[bucket] ?? 0) + count;
    rows.set(key, row);
  }
  return [...rows].map(([key, { point, metric, counts }]) => {
    const { thoughts, ...told } = counts;
    if (thoughts !== null) {
      told.reasoning = thoughts;
      told.output = (told.output ?? 0) + thoughts;
    }
    return requestFact(eventIdOf("request", "otlp metric", key), headerOf(point), {
      provider: providerOf(textOf(point.attributes, "gen_ai.provider.name", "gen_ai.system")) ?? null,
      model: textOf(point.attributes, "gen_ai.response.model", "model", "gen_ai.request.model"),
      ...metric.usage(told),
    });
  });
}

const NOTHING = { input: null, read: null, write: null, output: null, reasoning: null, thoughts: null };

/** Names the interval and everything that tells points apart, but for the bucket. */
function seriesOf(point: Point, typeKey: string | null): string {
  const attributes = [...point.attributes].filter(([name]) => name !== typeKey);
  const name = typeKey === null ? point.metric.split(".usage.")[0] : point.metric;
  const interval = point.temporality === "cumulative" ? point.startMs : `${point.startMs} ${point.atMs}`;
  return JSON.stringify([agentOf(point), sessionOf(point.attributes, point), name, interval, attributes.sort()]);
}

function headerOf(point: Point) {
  return {
    agent: agentOf(point),
    session: sessionOf(point.attributes, point)!,
    lane: "main",
    turn: null,
    tenant: tenantOf(point.attributes, point),
    atMs: point.atMs,
    timeQuality: "exact" as const,
    line: null,
    offset: null,
  };
}
