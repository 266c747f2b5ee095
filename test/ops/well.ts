import type { Health } from '../../src/ops/health.ts';

const ABLE = { ok: true, why: [] };

/** Health of a run without any problem. */
export const WELL: Health = { ready: true, checks: [], canSend: ABLE, canProtect: ABLE };
