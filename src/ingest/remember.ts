/** A reader's state as JSON; maps and digests come back as what they were. */
export function written(state: object): string {
  return JSON.stringify(state, (_key, value) => (value instanceof Map ? { entries: [...value] } : value));
}

export function restored<State>(text: string): State {
  return JSON.parse(text, (_key, value) => {
    if (Array.isArray(value?.entries)) return new Map(value.entries);
    return value?.type === "Buffer" ? Buffer.from(value.data) : value;
  });
}

/** Keeps the newest `limit` entries of a map; returns the others. */
export function bounded<K, V>(map: Map<K, V>, limit: number): V[] {
  const dropped: V[] = [];
  for (const [key, value] of map) {
    if (map.size <= limit) break;
    map.delete(key);
    dropped.push(value);
  }
  return dropped;
}
