import { type Attributes, type Origin, textOf } from "./signals.js";

/** Where emitters say which session something belongs to, the plainest first. */
const SESSION_KEYS = [
  "gen_ai.conversation.id",
  "session.id",
  "langfuse.session.id",
  "conversation.id",
  "ai.telemetry.metadata.sessionId",
  "traceloop.association.properties.session_id",
];

/** The emitter's own id of the session; null when neither the item nor its resource names one. */
export function sessionOf(attributes: Attributes, { resource }: Origin): string | null {
  return textOf(attributes, ...SESSION_KEYS) ?? textOf(resource, ...SESSION_KEYS);
}

/** Names of services that are agents we know; every other service is an agent of its own name. */
const AGENTS: [RegExp, string][] = [
  [/^claude-code/, "claude-code"],
  [/^codex/, "codex"],
  [/^gemini-cli/, "gemini-cli"],
  [/^qwen-code/, "qwen-code"],
  [/^opencode/, "opencode"],
];

/** The agent that sent this; a service without a name is `otlp`. */
export function agentOf({ resource }: Origin): string {
  const service = textOf(resource, "service.name") ?? "";
  if (service === "" || service.startsWith("unknown_service")) return "otlp";
  return AGENTS.find(([pattern]) => pattern.test(service))?.[1] ?? service;
}

/** Gemini CLI gives the version of Node as its own. */
export function versionOf(origin: Origin): string | null {
  const version = textOf(origin.resource, "service.version");
  return agentOf(origin) === "gemini-cli" && version?.startsWith("v") ? null : version;
}

export function tenantOf(attributes: Attributes, { resource }: Origin): string | null {
  return textOf(attributes, "sonny.tenant") ?? textOf(resource, "sonny.tenant");
}

/** A provider as prices are listed: libraries put the kind of call behind its name. */
export function providerOf(name: string | null): string | undefined {
  return name?.replace(/\.(messages|chat|responses|completions?|generative-ai)$/, "");
}

/** Ids of providers are long enough to be unique everywhere; others name a thing only where they were given out. */
export function isUnique(id: string | null | undefined): id is string {
  return id !== null && id !== undefined && /^[\w|-]{16,}$/.test(id);
}
