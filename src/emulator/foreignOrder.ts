import { z } from 'zod';
import { toSeconds, type EpochMs } from '../core/brand.ts';
import { InvalidValueError } from '../core/errors.ts';
import { Refusal } from './refusal.ts';
import { uuidOf } from './reply.ts';
import { findRoute } from './routes/index.ts';
import type { World } from './world.ts';

const PATH = '/api/v1/orders/send';
const DEADLINE_S = 90;

/** `body` is that of `POST /orders/send`, its deadline in 90 s by default. A key of either access will do. */
export const foreignOrder = z.strictObject({ apiKey: z.string(), body: z.record(z.string(), z.json()) });

/** Places it as the venue would for a signed request. @throws {InvalidValueError} when the venue refuses it */
export function placeForeign(
  world: World,
  { apiKey, body }: z.output<typeof foreignOrder>,
  now: EpochMs,
): void {
  const key = world.keys.get(apiKey);
  const match = findRoute('POST', PATH);
  if (!key || !match) throw new InvalidValueError('there is no such key');
  const order = { deadline: toSeconds(now) + DEADLINE_S, ...body };
  try {
    match.route.handle({
      ...{ world, now, key, path: {}, query: new URLSearchParams(), body: JSON.stringify(order) },
      ...{ uuid: uuidOf(`foreign ${apiKey} ${now}`), recovered: null, disorder: null },
    });
  } catch (error) {
    if (error instanceof Refusal) throw new InvalidValueError(error.message);
    throw error;
  }
}
