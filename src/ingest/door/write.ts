import type { SessionEvent } from "../../events/event.js";
import { hexOf } from "../../events/identity.js";

/**
 * An event as the door takes it: unknown fields left out, digests and ids as hex, times as ISO text.
 * Reading it back gives the same event, apart from what the door has no word for (raw usage, byte offsets).
 */
export function doorFormOf(event: SessionEvent): Record<string, unknown> {
  const form: Record<string, unknown> = { kind: event.kind, eventId: hexOf(event.eventId) };
  for (const [name, value] of Object.entries(event)) {
    if (value === null || value === undefined || INNER.has(name) || name in form) continue;
    if (Array.isArray(value) && value.length === 0) continue;
    if (name.endsWith("AtMs") || name === "atMs")
      form[name.replace(/Ms$/, "")] = new Date(value as number).toISOString();
    else form[name] = plain(value);
  }
  if (form.lane === "main") delete form.lane;
  return form;
}

/** Fields that exist only inside. */
const INNER = new Set([
  "timeQuality",
  "offset",
  "rawUsage",
  "usageState",
  "copyRank",
  "estimatedTokens",
  "estimateMethod",
]);

function plain(value: unknown): unknown {
  if (Buffer.isBuffer(value)) return value.toString("hex");
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, inner]) => inner !== null)
      .map(([name, inner]) => [name, plain(inner)]),
  );
}
