/** Fields of foreign JSON: a value of another type than the one asked for is absent. */

export function text(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

export function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((entry) => typeof entry === "string") : [];
}

/** A count; anything but a whole number of at least 0 is unknown. */
export function count(value: unknown): number | null {
  return Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : null;
}

export function rounded(value: unknown): number | null {
  return typeof value === "number" ? count(Math.round(value)) : null;
}

export function object(value: unknown): Record<string, unknown> | null {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : null;
}
