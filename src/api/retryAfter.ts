import type { EpochMs } from '../core/brand.ts';

/** The wait that a `Retry-After` header asks for, seconds or an HTTP date, in ms and perhaps negative; null for garbage. */
export function retryAfterMs(header: string | undefined, now: EpochMs): number | null {
  const text = header?.trim() ?? '';
  if (/^[+-]?\d+(\.\d+)?$/.test(text)) return Number(text) * 1000;
  const at = /[a-z]/i.test(text) ? Date.parse(text) : NaN;
  return Number.isNaN(at) ? null : at - now;
}
