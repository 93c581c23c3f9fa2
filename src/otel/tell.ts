import { aiSdk } from "./emitters/ai-sdk.js";
import { claudeCode } from "./emitters/claude-code.js";
import { codex } from "./emitters/codex.js";
import type { ReadSpan } from "./emitters/emitter.js";
import { genAi } from "./emitters/genai.js";
import { langfuse } from "./emitters/langfuse.js";
import { openInference } from "./emitters/openinference.js";
import { own } from "./emitters/own.js";
import { agentOf, sessionOf, tenantOf, versionOf } from "./origin.js";
import type { Span } from "./signals.js";
import type { Told } from "./told.js";

/** The families of emitters; a span that several could read is read by the first. */
const READERS: ReadSpan[] = [own, claudeCode, codex, langfuse, aiSdk, openInference, genAi];

/** What is kept of a span. Of spans that nobody knows their place in the trace is, because others hang on it. */
export function tell(span: Span): Told {
  const { spanId, parentId, startMs, endMs, failed, attributes } = span;
  const said = readSpan(span);
  return known({
    span: spanId,
    parent: parentId,
    session: sessionOf(attributes, span),
    tenant: tenantOf(attributes, span),
    ...(said === null
      ? {}
      : { startMs, endMs, failed: failed || null, agent: agentOf(span), agentVersion: versionOf(span) }),
    ...said,
  }) as unknown as Told;
}

function readSpan(span: Span): ReturnType<ReadSpan> {
  for (const read of READERS) {
    const said = read(span);
    if (said !== null) return said;
  }
  return null;
}

/** Without the fields that are not known. Usage keeps its nulls. */
function known(fields: Record<string, unknown>): Record<string, unknown> {
  const kept = Object.entries(fields).filter(([, value]) => value !== undefined && value !== null);
  return Object.fromEntries(kept.map(([name, value]) => [name, NESTED.has(name) ? withoutUndefined(value) : value]));
}

const NESTED = new Set(["request", "tool", "compaction"]);

function withoutUndefined(value: unknown): unknown {
  return Object.fromEntries(Object.entries(value as object).filter(([, entry]) => entry !== undefined));
}
