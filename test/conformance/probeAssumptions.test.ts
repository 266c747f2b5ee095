import { toFunctionSelector } from 'viem/utils';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import * as bodies from './bodies.ts';
import type { VenueClient } from '../../src/api/client.ts';
import { assumptions as schema, assumptionsIn } from '../../src/app/config/sections.ts';
import type { VenueConfig } from '../../src/app/config/schema.ts';
import {
  found,
  isTree,
  clientOfOther,
  rename,
  type Difference,
  type Envelope,
  type Tree,
} from './otherVenue.ts';
import { probeOf } from './probing.ts';
import { startStage, type Stage } from './stage.ts';

type Overlay = VenueConfig['assumptions'];

let stage: Stage;
beforeAll(async () => {
  stage = await startStage();
  const client = stage.client(1);
  await stage.control('corporate-action', { type: 'cash_dividend', symbol: 'MSFT', cashPerShare: '0.5' });
  for (const body of [
    bodies.marketBuy(stage),
    bodies.limitBuy(stage),
    { ...bodies.marketSell(stage), deferred: true },
  ])
    await bodies.ask(client, 'orderSend', { body });
  await bodies.ask(client, 'cashWithdrawalSend', { body: bodies.cashOut(stage) });
  await bodies.ask(client, 'stockDepositSend', { body: bodies.stockMove(stage) });
  await stage.settled();
});
afterAll(() => stage.close());

const clientOf = (difference: Difference, overlay: Overlay): VenueClient =>
  clientOfOther(stage, difference, assumptionsIn({ assumptions: overlay }));

/** Differences by their place in the overlay, with the lines that the probe proposes for them. */
async function differing(difference: Difference, overlay?: Overlay): Promise<Map<string, string | null>> {
  const findings = await probeOf(stage, clientOf(difference, overlay), { assumptions: overlay });
  return new Map(
    findings.flatMap(({ assumption }) =>
      assumption?.state === 'differs' ? [[assumption.entry, assumption.edit]] : [],
    ),
  );
}

/** All lines together, as a config would have them. */
const overlayOf = (edits: Iterable<string | null>): Overlay => {
  const merged: Tree = {};
  for (const edit of edits)
    merge(merged, (parse(edit ?? '') as { venue: { assumptions: Tree } }).venue.assumptions);
  return schema.parse(merged);
};
function merge(into: Tree, from: Tree): void {
  for (const [key, value] of Object.entries(from)) {
    const known = into[key];
    if (isTree(known) && isTree(value)) merge(known, value);
    else into[key] = value;
  }
}

const at = (path: string, pattern: RegExp) => pattern.test(path);

/** A venue with another name, word or form at every place that reads and calldata can show. */
const STRANGER: Difference = {
  answer(envelope, { path }) {
    Object.assign(envelope, { t: Math.round(stage.now() / 1000) });
    if (envelope.code === 10_001) Object.assign(envelope, { code: 40_400, errMsg: 'nothing is there' });
    if (/deadline/.test(envelope.errMsg)) envelope.errMsg = 'timeInForce only supports DAY by then';
    unlikeIds(envelope, path);
    const { data } = envelope;
    if (at(path, /\/(orders|deposits|withdrawals)/)) unlikeLinks(data);
    if (at(path, /\/orders/))
      for (const row of found.rows(data)) if (row['historyOrder']) row['openOrder'] = {};
    if (at(path, /\/stock\//)) rename(found.under(data, 'stockOperation')[0], { amount: 'movedAmount' });
    if (at(path, /\/cash\//))
      found
        .under(data, 'withdrawalOperation')
        .forEach((each) => rename(each, { creditAmount: 'creditedMusd' }));
    if (at(path, /\/debts$/))
      found.rows(data).forEach((row) => rename(row, { debtQuantity: 'quantityOwed' }));
    if (at(path, /\/config$/)) unlikeConfig(data);
    if (at(path, /\/corporate-action$/))
      for (const row of found.rows(data))
        rename(Object.assign(row, { type: 'dividend' }), { exDate: 'exDay' });
    if (at(path, /\/repay\/calldata$/)) unlikeFunction(data);
  },
};

function unlikeLinks(data: unknown): void {
  for (const link of found.links(data)) {
    if (!('createTime' in link)) continue;
    link['createTime'] = new Date(Number(link['createTime']) * 1000).toISOString();
    rename(link, { createTime: 'createdAt' });
  }
}

function unlikeIds(envelope: Envelope, path: string): void {
  if (/^\/api\/v1\/orders\/0x\w+$/.test(path))
    Object.assign(envelope, { code: 40_400, errMsg: 'nothing is there', data: null });
}

function unlikeConfig(data: unknown): void {
  if (!isTree(data)) return;
  rename(data['cashierBuffer'], { creditBuffer: 'bufferOfCredit' });
  rename(data['exchangeFeeConfig'], { buyMintFeeBps: 'buyMintBps' });
  for (const token of [data['cashierTokenConfig']].flat()) rename(token, { minAmount: 'minimumAmount' });
}

function unlikeFunction(data: unknown): void {
  if (!isTree(data)) return;
  const selector = toFunctionSelector('function repayDebt(address,uint256)');
  data['method'] = 'repayDebt';
  data['callData'] = selector + String(data['callData']).slice(10);
}

test('the overlay that the probe proposes makes the client follow a venue with other names everywhere', async () => {
  const strange = await differing(STRANGER);
  expect([...strange.keys()].sort()).toEqual([
    'fields.cashToken',
    'fields.cashierBuffer',
    'fields.corporateAction',
    'fields.debt',
    'fields.exchangeFees',
    'fields.link',
    'fields.stockOperation',
    'fields.withdrawalOperation',
    'functions.repayDeferredStockDebt',
    'notFoundCode',
    'orderIdForm',
    'proof.orderEnds',
    'proof.refusals',
    'units.t',
    'words.actionType',
  ]);
  const overlay = overlayOf(strange.values());
  expect(overlay).toMatchObject({
    fields: { link: { createTime: 'createdAt' }, debt: { debtQuantity: 'quantityOwed' } },
    words: { actionType: { cash_dividend: 'dividend' } },
    functions: { repayDeferredStockDebt: 'repayDebt(address stock, uint256 amount)' },
    orderIdForm: 'without-0x',
    notFoundCode: 40_400,
    units: { t: 's' },
    proof: { orderEnds: ['Canceled', 'Expired', 'Rejected', 'Failed'] },
  });
  expect(overlay?.proof?.refusals).not.toContain('day-only');
  // A time whose name was unknown can be checked once its name is known.
  const left = await differing(STRANGER, overlay);
  expect([...left.keys()]).toEqual(['units.createTime']);
  const both = overlayOf([...strange.values(), ...left.values()]);
  expect([...(await differing(STRANGER, both)).keys()]).toEqual([]);
});

test('the probe finds other names of wrappers', async () => {
  const names = { mapping: 'linkMapping', stockOperation: 'operationOfStock' };
  const difference: Difference = {
    answer({ data }, { path }) {
      if (at(path, /\/(orders|stock)\b/)) found.rows(data).forEach((row) => rename(row, names));
    },
  };
  const strange = await differing(difference);
  expect([...strange.keys()]).toEqual(expect.arrayContaining(['fields.orderDetail', 'fields.stockDetail']));
  const overlay = overlayOf(
    ['fields.orderDetail', 'fields.stockDetail'].map((entry) => strange.get(entry) ?? null),
  );
  expect([...(await differing(difference, overlay)).keys()]).toEqual([]);
});

test("the probe reports a request body that the venue refuses with the venue's words", async () => {
  const difference: Difference = {
    request({ path, body }) {
      if (/\/stock\//.test(path)) rename(body, { tokenAmount: 'unknown' });
    },
  };
  const strange = await differing(difference);
  expect(strange.get('fields.stockMove')).toContain(
    'fields:\n      stockMove: { tokenAmount: NAME_OF_THE_VENUE }',
  );
});

test('the probe requests no calldata with a read-only key', async () => {
  const asked: string[] = [];
  const reading: Difference = {
    request: ({ method, path }) => void asked.push(`${method} ${path}`),
    answer(envelope, { method }) {
      if (method !== 'GET') Object.assign(envelope, { code: 401, errMsg: 'unauthorized', data: null });
    },
  };
  const findings = await probeOf(stage, clientOf(reading, undefined));
  expect(asked.filter((each) => !each.startsWith('GET '))).toEqual(['POST /api/v1/1ct/prepare']);
  expect(findings.filter(({ detail }) => detail.includes('the key may only read'))).toHaveLength(18);
});

test('the probe sends no order or transfer, and only reads in a mode that only reads', async () => {
  const asked: string[] = [];
  const listening: Difference = { request: ({ method, path }) => void asked.push(`${method} ${path}`) };
  await probeOf(stage, clientOf(listening, undefined));
  const writes = asked.filter((each) => !each.startsWith('GET '));
  expect(writes.length).toBeGreaterThan(15);
  expect(writes.filter((each) => !each.endsWith('/calldata'))).toEqual(['POST /api/v1/1ct/prepare']);
  asked.length = 0;
  const findings = await probeOf(stage, clientOf(listening, undefined), { mode: 'dry-run' });
  expect(asked.filter((each) => !each.startsWith('GET '))).toEqual([]);
  expect(findings).toContainEqual(
    expect.objectContaining({
      check: 'assumption functions.deposit',
      detail: 'not checked: mode dry-run only reads: use the config of live',
    }),
  );
});
