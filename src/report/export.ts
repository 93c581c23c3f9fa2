/** What an export did. */
export interface ExportReport {
  schemaVersion: 1;
  store: string;
  /** Where it went: the resolved URL, or the file; null when nothing was sent. */
  to: string | null;
  dryRun: boolean;
  sessions: number;
  traces: number;
  spans: { produced: number; sent: number; accepted: number; rejected: number; pending: number };
  metrics: { sent: number; accepted: number; rejected: number; pending: number } | null;
  reasons: string[];
  /** Ids of spans that the receiver takes in no form. */
  unsendable: string[];
  warnings: string[];
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
  const lines = [`${dryRun ? "would go" : "went"} to ${to ?? "nowhere"}`];
  lines.push(`new: ${produced} spans of ${traces} traces in ${sessions} sessions`);
  if (!dryRun) lines.push(`sent ${sent} spans = ${accepted} accepted + ${rejected} rejected + ${pending} pending`);
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
