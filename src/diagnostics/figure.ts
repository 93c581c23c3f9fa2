/**
 * A number from 0 to 1 (or above) as text, with at least `digits` decimals, and as many more as it takes to stay on its
 * own side of every guard: 0.69999 never reads 0.700 beside a floor of 0.7, and 0.9996 never reads 1.000.
 */
export function figure(value: number, guards: number[] = [], digits = 3): string {
  const sides = [0, 1, ...guards];
  for (let more = digits; more < 17; more += 1) {
    const text = value.toFixed(more);
    const shown = Number(text);
    if (sides.every((guard) => Math.sign(shown - guard) === Math.sign(value - guard))) return text;
  }
  return String(value);
}

/** A whole count with separators: 69,000. (Intl would cost every start of the program 12 ms.) */
export function grouped(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+(?!\d))/g, ",");
}

/** "1 compaction", "2 compactions". */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${grouped(count)} ${count === 1 ? one : many}`;
}
