/** Picodollars as dollars for a person: two decimals, more while the amount is small, half to even. */
export function dollars(picos: bigint): string {
  const size = picos < 0n ? -picos : picos;
  const digits = size === 0n || size >= PICOS ? 2 : size >= PICOS / 100n ? 4 : 6;
  const units = rounded(size, 10n ** BigInt(12 - digits));
  const whole = units / 10n ** BigInt(digits);
  const rest = (units % 10n ** BigInt(digits)).toString().padStart(digits, "0");
  return `${picos < 0n ? "-" : ""}$${whole.toString().replace(/\B(?=(\d{3})+$)/g, ",")}.${rest}`;
}

/** Picodollars as a number of dollars for machines, rounded to the micro-dollar, half to even. */
export function usd(picos: bigint): number {
  const size = rounded(picos < 0n ? -picos : picos, 1_000_000n);
  return Number(`${picos < 0n && size > 0n ? "-" : ""}${size}e-6`);
}

const PICOS = 1_000_000_000_000n;

function rounded(size: bigint, unit: bigint): bigint {
  const whole = size / unit;
  const twice = (size % unit) * 2n;
  return twice > unit || (twice === unit && whole % 2n === 1n) ? whole + 1n : whole;
}
