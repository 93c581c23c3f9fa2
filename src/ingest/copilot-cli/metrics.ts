import { type Answer, usageOf, withoutCached } from "../conversation.js";
import { count, object } from "../json.js";

type Value = Record<string, unknown>;

/**
 * Gives the sums of a model to the only request that it had; sums over several requests cannot be told apart. Returns
 * true when that left no request without its counts.
 */
export function tellMetrics(answers: Answer[], metrics: Value | null): boolean {
  const models = new Map(Object.entries(metrics ?? {}));
  return answers.reduce((all, answer) => {
    const told = answer.model === null ? null : object(models.get(answer.model));
    const only = answers.filter(({ model }) => model === answer.model).length === 1;
    const usage = object(told?.usage);
    if (!only || usage === null || count(object(told?.requests)?.count) !== 1) return false;
    tell(answer, usage);
    return all;
  }, true);
}

/** Input contains what was read from the cache; whether it contains what was written is not known, so far it was 0. */
function tell(answer: Answer, usage: Value): void {
  const [input, cached, written] = [usage.inputTokens, usage.cacheReadTokens, usage.cacheWriteTokens].map(count);
  const { uncached, odd } = withoutCached(input ?? null, cached ?? null);
  const output = Math.max(count(usage.outputTokens) ?? 0, answer.usage?.outputTokens ?? 0);
  answer.raw = usage;
  answer.usage = usageOf(
    {
      uncachedTokens: uncached,
      readTokens: cached ?? null,
      writeUnsplitTokens: written ?? null,
      outputTokens: output,
      reasoningTokens: count(usage.reasoningTokens),
    },
    odd,
  );
}
