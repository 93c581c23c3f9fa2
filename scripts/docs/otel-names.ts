/** The page of OpenTelemetry names: what a made-up session is sent as, and what every own attribute is. */
import { ownFields } from "../../src/otel/own.js";

export function otelNamesPage(): string {
  const kinds = ownFields();
  const lines = [
    "# OpenTelemetry names",
    "",
    "What `sonny trace export` sends, and `sonny trace receive` understands when it comes from sonny. Standard names are those of the GenAI conventions 1.41; with `OTEL_SEMCONV_STABILITY_OPT_IN=gen_ai_latest_experimental` the cache write is `gen_ai.usage.cache_write.input_tokens`.",
    "",
    "| span | kind | standard attributes |",
    "|---|---|---|",
    "| `invoke_agent AGENT` | internal | `gen_ai.operation.name`, `gen_ai.agent.name`, `gen_ai.conversation.id` |",
    "| `chat MODEL` | client | `gen_ai.operation.name`, `gen_ai.provider.name`, `gen_ai.request.model`, `gen_ai.response.model`, `gen_ai.response.id`, `gen_ai.response.finish_reasons`, `gen_ai.usage.input_tokens`, `gen_ai.usage.cache_read.input_tokens`, `gen_ai.usage.cache_creation.input_tokens`, `gen_ai.usage.output_tokens`, `gen_ai.usage.reasoning.output_tokens`, `gen_ai.response.time_to_first_chunk`, `gen_ai.conversation.id`, `gen_ai.conversation.compacted` (only when true), `error.type` |",
    "| `execute_tool TOOL` | internal | `gen_ai.operation.name`, `gen_ai.tool.name`, `gen_ai.tool.call.id`, `gen_ai.conversation.id`, `error.type`; with `--content` `gen_ai.tool.call.arguments` and `gen_ai.tool.call.result` |",
    "| `compact RECIPE` | internal | `gen_ai.conversation.id`, `error.type` |",
    "| `session AGENT` | internal | `gen_ai.agent.name`, `gen_ai.conversation.id`; holds what belongs to no turn |",
    "",
    "Judgments are events `gen_ai.evaluation.result` of the compaction's span, broken contracts of the tool's: `gen_ai.evaluation.name` (`retention`, `return_contract`), `gen_ai.evaluation.score.value`, `gen_ai.evaluation.score.label`, `gen_ai.evaluation.explanation`. Other facts are events `sonny.KIND` of the turn.",
    "",
    "A request that a resumed or forked session inherited carries `sonny.inherited` and no `gen_ai.usage.*`: another trace has them.",
    "",
    "## Attributes of sonny's own",
    "",
    "Every span and event of a fact carries the whole fact, so that another sonny can read it back. `sonny.event` names its kind. Unknown fields are left out; digests are hex. Layouts, texts, and the lists of a compaction and a judgment do not travel.",
    "",
    "| kind | attributes |",
    "|---|---|",
    ...kinds.map(
      ({ kind, names }) =>
        `| ${kind === null ? "all" : `\`${kind}\``} | ${names.map((name) => `\`${name}\``).join(", ")} |`,
    ),
    "",
  ];
  return lines.join("\n");
}
