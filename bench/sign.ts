import { z } from 'zod';
import { orderSend } from '../src/api/endpoints/index.ts';
import { prepare } from '../src/api/bodies.ts';
import { createSigner } from '../src/api/signing.ts';
import { systemClock } from '../src/core/clock.ts';
import { systemRandom } from '../src/core/random.ts';
import { USER } from './orderList.ts';
import { median, timed, type Result } from './result.ts';

/** Batch size: small enough that the median batch is not interrupted. */
const BATCH = 100;
const BATCHES = 1_000;

/** Measures one order request from its fields to its signed headers: schema, body, URI, time, nonce, HMAC. */
export async function sign(): Promise<Result[]> {
  const signer = createSigner({
    apiKey: 'bench-key',
    secret: 'a secret of 32 bytes or so, hex',
    chainId: 1,
    product: 'bench',
  });
  const endpoint = { ...orderSend, body: z.compile(orderSend.body) };
  const order = { stockAddress: USER, side: 'Buy', type: 'Limit', quantity: '1.5', timeInForce: 'DAY' };
  const build = (price: string) => {
    const prepared = prepare(endpoint, { body: { ...order, price, deadline: 1_800_000_000 } });
    return signer({ ...prepared, timestamp: String(systemClock.now()), nonce: systemRandom.uuid() });
  };
  const micros: number[] = [];
  for (let batch = 0; batch < BATCHES; batch++) {
    const ms = await timed(() => {
      for (let index = 0; index < BATCH; index++) build(`${100 + index}.25`);
    });
    micros.push((ms * 1_000) / BATCH);
  }
  return [{ name: 'sign', value: median(micros), unit: 'µs' }];
}
