import { requestFact } from "../../events/facts.js";
import { eventIdOf } from "../../events/identity.js";
import type { ReadLog } from "../logs.js";
import { isUnique, providerOf } from "../origin.js";
import { countOf, textOf } from "../signals.js";
import { inclusive, isUsage } from "../usage.js";

/** The convention's own record of a finished inference, as far as it carries counts. */
export const genAiLog: ReadLog = ({ name, attributes, atMs, traceId, spanId }, header) => {
  if (name !== "gen_ai.client.inference.operation.details") return [];
  const counts = {
    input: countOf(attributes, "gen_ai.usage.input_tokens"),
    read: countOf(attributes, "gen_ai.usage.cache_read.input_tokens"),
    write: countOf(attributes, "gen_ai.usage.cache_creation.input_tokens", "gen_ai.usage.cache_write.input_tokens"),
    output: countOf(attributes, "gen_ai.usage.output_tokens"),
    reasoning: countOf(attributes, "gen_ai.usage.reasoning.output_tokens"),
  };
  if (!isUsage(counts)) return [];
  const messageId = textOf(attributes, "gen_ai.response.id");
  const provider = providerOf(textOf(attributes, "gen_ai.provider.name", "gen_ai.system")) ?? null;
  const eventId = isUnique(messageId)
    ? eventIdOf("request", provider ?? header.agent, messageId)
    : eventIdOf("request", "otlp log", traceId ?? header.session, spanId ?? "", atMs ?? "");
  return [
    requestFact(
      eventId,
      { ...header, turn: traceId },
      {
        messageId,
        provider,
        model: textOf(attributes, "gen_ai.response.model", "gen_ai.request.model"),
        ...inclusive(counts),
      },
    ),
  ];
};
