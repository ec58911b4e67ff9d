/** The reason of an INVALID: `code [SP first SP last] SP text`. */

import { zeps } from "zeps-wire";

export interface Notice {
  readonly code: string;
  readonly first: bigint;
  readonly last: bigint;
  readonly reason: string;
}

const FORM = /^([a-z-]+)(?: (\d{1,20}) (\d{1,20}))? /u;

export function noticeOf(reason: string): Notice {
  const [, code = "", first = "0", last = "0"] = FORM.exec(reason) ?? [];
  return { code, first: BigInt(first), last: BigInt(last), reason };
}

/** Whether messages from first to last are lost. */
export function isGap({ code }: Notice): boolean {
  return code === zeps.OpenCode.RETENTION || code === zeps.OpenCode.DAMAGE;
}

/** Whether it refuses a SUBSCRIBE. */
export function isRefusal({ code }: Notice): boolean {
  const { BAD_PATTERN, TOO_MANY_SUBSCRIPTIONS, NOT_RETAINED, BEYOND_END } = zeps.OpenCode;
  return [BAD_PATTERN, TOO_MANY_SUBSCRIPTIONS, NOT_RETAINED, BEYOND_END].some((each) => each === code);
}
