import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'vitest';
import { AccountState } from '../../src/domain/account/accountState.ts';
import { readJournal } from '../../src/store/readJournal.ts';
import { markedOf, markOf } from '../torture/journalSide.ts';
import type { Done } from './cli.ts';

/** Runs a command next to the run on a restored state folder. */
export type Beside = (...args: readonly string[]) => Promise<Done>;

const ATTEMPTS = 60;
const RETRY_MS = 500;

/** Resumes, and does what each refusal asks for: cancels what may have been sent, accepts orders and balances. Returns all refusals. */
export async function resumeAsRefused(beside: Beside): Promise<string> {
  let refusals = '';
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const { code, err } = await beside('resume', '--reason', 'checked', '--yes');
    if (code === 0) return refusals;
    expect([code, err]).toEqual([4, expect.stringContaining('nothing was lifted')]);
    refusals += err;
    const waiting = [...err.matchAll(/^ {2}(\S+) on \w+, as order /gm)].flatMap(([, id]) => id ?? []);
    if (waiting.length > 0) await beside('cancel', ...waiting, '--reason', 'it may have been sent');
    const orders = [...err.matchAll(/(?<!as )order (0x[0-9a-f]{64})/g)].flatMap(([, tx]) => tx ?? []);
    if (orders.length > 0) await beside('orders', 'accept', ...orders, '--reason', 'sent before the restore');
    const assets = [...err.matchAll(/^ {2}(\w+): /gm)].flatMap(([, asset]) => asset ?? []);
    for (const asset of assets)
      await beside('accept', asset, '--reason', 'traded before the restore', '--yes');
    await pause(RETRY_MS);
  }
  throw new Error(`never resumed: ${refusals}`);
}

/** Lifts the freezes that remain: orders sent after the backup look like a second send of those before it. */
export async function unfreezeAll(beside: Beside): Promise<void> {
  const { out } = await beside('status', '--json');
  for (const { symbol } of (JSON.parse(out) as { frozen: { symbol: string }[] }).frozen)
    expect(await beside('unfreeze', symbol, '--reason', 'the orders are of the run before')).toMatchObject({
      code: 0,
    });
}

/** Marks of the sends in journals with a common beginning, archives included; a send that both have counts once. */
export function sendsIn(states: readonly string[]): string[] {
  const sends = new Map(states.flatMap((state) => sendsOf(join(state, 'journal.sqlite'))));
  return [...sends.values()];
}

type Send = readonly [identity: string, mark: string];

function sendsOf(journal: string): Send[] {
  const [books, reader] = [new AccountState(), readJournal(journal)];
  const sends: Send[] = [];
  for (const { at, fact } of reader.lines()) {
    books.apply({ at, fact });
    if (fact.kind !== 'order' || fact.event.kind !== 'sent') continue;
    const mark = markOf(fact.event.deadline, markedOf(books.order(fact.id).terms));
    sends.push([`${mark} ${fact.id} ${at}`, mark]);
  }
  reader.close();
  return sends;
}
