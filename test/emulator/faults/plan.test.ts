import { afterEach, describe, expect, test } from 'vitest';
import { epochMs, toIso } from '../../../src/core/brand.ts';
import { faceOfClient } from '../../../src/emulator/state/nodeFace.ts';
import { Bench, START } from '../harness.ts';
import { closeAll, Trader } from '../trader.ts';
import { parsedPlan, strikes } from './plans.ts';

afterEach(closeAll);

const CONFIG = { endpoint: 'GET /api/v1/config' };
const at = (ms: number): string => toIso(epochMs(START + ms));

/** Statuses of consecutive requests, a second apart. */
function statusesUnder(rule: Record<string, unknown>, count: number) {
  const bench = new Bench();
  bench.command(parsedPlan({ kind: '429', ...CONFIG, ...rule }));
  const statuses = Array.from({ length: count }, () => {
    const { reply } = bench.outcome({ method: 'GET', path: '/api/v1/config' });
    bench.wait(1_000);
    return reply?.status;
  });
  return { bench, statuses };
}

describe('a fault rule', () => {
  test.each<[rule: Record<string, unknown>, statuses: number[]]>([
    [{ times: 2 }, [429, 429, 200, 200]],
    [{ after: 2 }, [200, 200, 429, 429]],
    [{ after: 1, times: 1 }, [200, 429, 200, 200]],
    [{ from: at(2_000) }, [200, 200, 429, 429]],
    [{ until: at(1_000) }, [429, 200, 200, 200]],
    [{ from: at(1_000), until: at(3_000) }, [200, 429, 429, 200]],
    [{ from: at(1_000), after: 1 }, [200, 200, 429, 429]],
    [{ endpoint: 'GET /api/v1/symbols' }, [200, 200, 200, 200]],
    [{ on: 'node', endpoint: 'eth_chainId' }, [200, 200, 200, 200]],
    [{ probability: 0 }, [200, 200, 200, 200]],
  ])('with %j applies accordingly', (rule, expected) => {
    const { bench, statuses } = statusesUnder(rule, 4);
    expect(statuses).toEqual(expected);
    expect(strikes(bench)).toEqual([expected.filter((status) => status === 429).length]);
  });

  test('that is used up makes room for the next one', () => {
    const bench = new Bench();
    bench.command(
      parsedPlan([
        { kind: 'status', status: 503, times: 1 },
        { kind: 'status', status: 502 },
      ]),
    );
    const ask = () => bench.outcome({ method: 'GET', path: '/api/v1/config' }).reply?.status;
    expect([ask(), ask(), ask()]).toEqual([503, 502, 502]);
    expect(strikes(bench)).toEqual([1, 2]);
  });
});

test('an outage of an hour ends for all callers at once', () => {
  const bench = new Bench();
  bench.command(parsedPlan({ kind: 'lost-request', until: at(3_600_000) }));
  const ask = () => bench.outcome({ method: 'GET', path: '/api/v1/config' }).reply?.status ?? null;
  bench.wait(3_599_000);
  expect([ask(), ask()]).toEqual([null, null]);
  bench.wait(1_000);
  expect([ask(), ask()]).toEqual([200, 200]);
});

describe('a fault plan over the control port', () => {
  test('is shown by GET /faults with its hits', async () => {
    const trader = await Trader.start();
    const plan = { rules: [{ kind: 'status', status: 503, ...CONFIG, after: 1 }], clockOffsetMs: 5_000 };
    await trader.control('/faults', plan);
    for (let count = 0; count < 3; count++) await trader.get('/config').catch(() => undefined);
    const shown = async () => (await fetch(`${trader.emulator.info.controlUrl}/faults`)).json();
    expect(await shown()).toEqual({
      rules: [{ ...plan.rules[0], probability: 1, processed: true, met: 3, struck: 2 }],
      indexerLagMs: 4_000,
      clockOffsetMs: 5_000,
      rateLimit: null,
      blockMs: 1_000,
      mempoolMs: 0,
      node: faceOfClient('geth'),
    });
    await fetch(`${trader.emulator.info.controlUrl}/faults`, { method: 'DELETE' });
    expect(await shown()).toMatchObject({ rules: [], clockOffsetMs: 0 });
  });

  test.each<[body: object, error: string]>([
    [{ rules: [{ kind: 'sabotage' }] }, 'rules[0].kind'],
    [{ rules: [{ kind: 'status' }] }, 'rules[0].status'],
    [{ rules: [{ kind: '429', often: 3 }] }, 'often'],
    [{ rules: [{ kind: 'delay', ms: 0 }] }, 'rules[0].ms'],
    [{ rules: [{ kind: '429', from: 'noon' }] }, 'rules[0].from'],
    [{ blockMs: 1_500 }, 'blockMs'],
    [
      { rules: [{ kind: '429', endpoint: 'GET /orders' }] },
      'rules[0] (429): there is no endpoint GET /orders',
    ],
    [{ rules: [{ kind: '429', on: 'node', endpoint: 'eth_dance' }] }, 'there is no method eth_dance'],
    [{ rules: [{ kind: 'list', how: 'shuffle', on: 'node' }] }, 'for the venue alone'],
    [{ rules: [{ kind: '429', from: at(5), until: at(5) }] }, 'is not before until'],
    [{ rules: [{ kind: 'edit', path: 'data' }] }, 'value or remove is missing'],
    [{ rules: [{ kind: 'edit', path: 'data', value: 1, remove: true }] }, 'not both'],
  ])('%j is refused', async (body, error) => {
    const trader = await Trader.start();
    await trader.control('/faults', { rules: [{ kind: 'unmined' }] });
    await expect(trader.control('/faults', body)).rejects.toThrow(error);
    expect(await (await fetch(`${trader.emulator.info.controlUrl}/faults`)).json()).toMatchObject({
      rules: [{ kind: 'unmined' }],
    });
  });
});
