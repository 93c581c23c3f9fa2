/** Lower and upper end of an interval for a proportion or a mean. */
export type Interval = [low: number, high: number];

const Z_95 = 1.959963984540054;

/** Wilson's 95 % interval for `passed` of `total`: for showing, not for gates. Null without data. */
export function wilson(passed: number, total: number): Interval | null {
  if (total === 0) return null;
  const share = passed / total;
  const zz = Z_95 * Z_95;
  const centre = share + zz / (2 * total);
  const spread = Z_95 * Math.sqrt((share * (1 - share)) / total + zz / (4 * total * total));
  const scale = 1 + zz / total;
  return [
    passed === 0 ? 0 : Math.max(0, (centre - spread) / scale),
    passed === total ? 1 : Math.min(1, (centre + spread) / scale),
  ];
}

/**
 * Exact (Clopper–Pearson) one-sided 95 % bounds for `passed` of `total`: the share is above `low` and, asked apart,
 * below `high`, each with 95 % confidence. Null without data.
 */
export function exactBounds(passed: number, total: number, alpha = 0.05): Interval | null {
  if (total === 0) return null;
  const low = passed === 0 ? 0 : bisect((share) => atLeast(passed, total, share) - alpha);
  const high = passed === total ? 1 : bisect((share) => alpha - (1 - atLeast(passed + 1, total, share)));
  return [low, high];
}

/** Largest share of events that none in `total` trials still allows, one-sided 95 %. */
export function noneSeenBound(total: number): number {
  return 1 - 0.05 ** (1 / total);
}

/**
 * How many facts, kept at the observed share, would put the exact bounds clear of the floor; null when no number up
 * to 10,000 would. The search goes up one by one, so the answer is the first number that settles it.
 */
export function factsToSettle(passed: number, total: number, floor: number): number | null {
  const share = passed / total;
  for (let n = total + 1; n <= 10_000; n += n < 1000 ? 1 : 100) {
    const kept = share >= floor ? Math.floor(share * n) : Math.ceil(share * n);
    const clear = share >= floor ? 1 - atMost(kept - 1, n, floor) < 0.05 : atMost(kept, n, floor) < 0.05;
    if (clear) return n;
  }
  return null;
}

/** 95 % bootstrap interval of the mean, from 10 values on; the same values give the same interval. */
export function meanInterval(values: number[], draws = 2000): Interval | null {
  if (values.length < 10) return null;
  const random = seeded(values.length);
  const means = Array.from({ length: draws }, () => {
    let sum = 0;
    for (let i = 0; i < values.length; i += 1) sum += values[Math.floor(random() * values.length)]!;
    return sum / values.length;
  }).sort((a, b) => a - b);
  return [means[Math.floor(draws * 0.025)]!, means[Math.ceil(draws * 0.975) - 1]!];
}

/** Probability of `passed` or more successes in `total` trials. */
function atLeast(passed: number, total: number, share: number): number {
  return passed === 0 ? 1 : 1 - atMost(passed - 1, total, share);
}

/** Probability of `passed` or fewer successes in `total` trials, summed term by term in logarithms. */
function atMost(passed: number, total: number, share: number): number {
  if (passed < 0) return 0;
  if (passed >= total || share <= 0) return 1;
  if (share >= 1) return 0;
  const [yes, no] = [Math.log(share), Math.log1p(-share)];
  let logWays = 0;
  let sum = Math.exp(total * no);
  for (let k = 1; k <= passed; k += 1) {
    logWays += Math.log((total - k + 1) / k);
    sum += Math.exp(logWays + k * yes + (total - k) * no);
  }
  return Math.min(1, sum);
}

/** Where a rising function crosses zero between 0 and 1. */
function bisect(rising: (share: number) => number): number {
  let [low, high] = [0, 1];
  for (let step = 0; step < 60; step += 1) {
    const middle = (low + high) / 2;
    if (rising(middle) < 0) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/** Numbers in [0, 1) that depend on the seed alone (mulberry32). */
function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
