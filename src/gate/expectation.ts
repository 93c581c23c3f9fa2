/** The value at a dotted path of a JSON answer; undefined when there is none. Names may contain dots themselves. */
export function valueAt(answer: unknown, path: string): unknown {
  if (path === "") return answer;
  if (typeof answer !== "object" || answer === null) return undefined;
  const names = path.split(".");
  for (let taken = names.length; taken > 0; taken -= 1) {
    const child = childOf(answer, names.slice(0, taken).join("."));
    if (child === undefined) continue;
    const value = valueAt(child, names.slice(taken).join("."));
    if (value !== undefined) return value;
  }
  return undefined;
}

/** Members of a list are named by their id, recipe or name, or by their position. */
function childOf(parent: object, name: string): unknown {
  if (!Array.isArray(parent))
    return Object.hasOwn(parent, name) ? (parent as Record<string, unknown>)[name] : undefined;
  const named = parent.find((item) => item?.id === name || item?.recipe === name || item?.name === name);
  return named ?? (/^\d+$/.test(name) ? parent[Number(name)] : undefined);
}

/**
 * Whether the actual value is as expected: scalars are equal (numbers to 12 digits), lists are equal in length and each
 * item, and a map is met by a value that has at least its entries.
 */
export function meets(actual: unknown, expected: unknown): boolean {
  if (typeof expected === "number" && typeof actual === "number")
    return Math.abs(actual - expected) <= 1e-12 * Math.max(1, Math.abs(expected));
  if (Array.isArray(expected)) {
    return (
      Array.isArray(actual) &&
      actual.length === expected.length &&
      expected.every((item, at) => meets(actual[at], item))
    );
  }
  if (typeof expected === "object" && expected !== null) {
    return Object.entries(expected).every(([path, inner]) => meets(valueAt(actual, path), inner));
  }
  return actual === expected;
}

/** The part of the actual value that an expected map spoke of: what a person wants to see beside it. */
export function partOf(actual: unknown, expected: unknown): unknown {
  if (typeof expected !== "object" || expected === null || Array.isArray(expected)) return actual;
  if (typeof actual !== "object" || actual === null) return actual;
  return Object.fromEntries(
    Object.entries(expected).map(([path, inner]) => [path, partOf(valueAt(actual, path), inner)]),
  );
}
