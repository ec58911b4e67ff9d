/** What guards and assignments compute with: unsigned numbers that stop at 0 and at their greatest value. */

/** `value`, or `greatest` if that is less. */
export function least(value: bigint, greatest: bigint): bigint {
  return value < greatest ? value : greatest;
}

/** `value`, or 0 if it is negative. */
export function natural(value: bigint): bigint {
  return value > 0n ? value : 0n;
}

/** `left - right`, or 0 if that is negative. */
export function difference(left: bigint, right: bigint): bigint {
  return left > right ? left - right : 0n;
}

type Value = bigint | boolean | number | string;

/** Whether two values are the same; they may be of types that the compiler takes for different. */
export function sameValue(left: Value, right: Value): boolean {
  return left === right;
}
