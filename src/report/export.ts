/** What an export did. */
export interface ExportReport {
  schemaVersion: 1;
  store: string;
  /** Where it goes: the resolved URL, or the file. */
  to: string;
  dryRun: boolean;
  sessions: number;
  traces: number;
  spans: { produced: number; sent: number; accepted: number; rejected: number; pending: number };
  /** Null when none were asked for. What is pending of them is not kept: the next export sends newer ones. */
  metrics: { sent: number; accepted: number; rejected: number; pending: number } | null;
  reasons: string[];
  /** Ids of spans that the receiver takes in no form. */
  unsendable: string[];
}

export function emptyExport(to: string, dryRun: boolean): ExportReport {
  return {
    schemaVersion: 1,
    store: "",
    to,
    dryRun,
    sessions: 0,
    traces: 0,
    spans: { produced: 0, sent: 0, accepted: 0, rejected: 0, pending: 0 },
    metrics: null,
    reasons: [],
    unsendable: [],
  };
}

export function exportText({
  to,
  dryRun,
  sessions,
  traces,
  spans,
  metrics,
  reasons,
  unsendable,
}: ExportReport): string {
  const { produced, sent, accepted, rejected, pending } = spans;
  const lines = [`${dryRun ? "would go to" : "to"} ${to}`];
  lines.push(`new: ${produced} spans of ${traces} traces in ${sessions} sessions`);
  if (sent > 0) lines.push(`sent ${sent} spans = ${accepted} accepted + ${rejected} rejected + ${pending} pending`);
  if (metrics !== null) {
    lines.push(
      `sent ${metrics.sent} metrics = ${metrics.accepted} accepted + ${metrics.rejected} rejected + ${metrics.pending} pending`,
    );
  }
  for (const reason of reasons) lines.push(`  ${reason}`);
  if (unsendable.length > 0) lines.push(`  no receiver takes these spans: ${unsendable.join(", ")}`);
  if (pending > 0) lines.push("  what is pending goes out with the next export");
  return lines.join("\n");
}
