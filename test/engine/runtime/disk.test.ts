import { describe, expect, test } from 'vitest';
import { JournalError } from '../../../src/core/errors.ts';
import type { StrategyHooks } from '../../../src/strategy/index.ts';
import { parseCash as $ } from '../../../src/core/amount.ts';
import type { Journal } from '../../../src/domain/journalEvent.ts';
import type { Address } from '../../../src/domain/instrument.ts';
import type { CommandId } from '../../../src/domain/operator/restriction.ts';
import { WALLET } from '../../../src/domain/account/ledger.ts';
import { cashToken } from '../../../src/emulator/state/constants.ts';
import { EmulatedWorld } from '../emulated.ts';
import { expectSound, factsOf, settleAll } from '../invariants.ts';
import { atStart, MINUTE, SECOND, Stage } from '../stage.ts';
import { give } from '../operator/commands.ts';
import { ledgerOf } from '../treasuries.ts';

type Disk = { state: 'fine' | 'nearly' | 'full' };

const USDC = cashToken.address.toLowerCase() as Address;

const buy = atStart((order) => order.buy('AAPL', { notional: '1000' }));
/** Buys at a timer. */
const later: StrategyHooks = { onTimer: ({ order }) => void order.buy('AAPL', { notional: '1000' }) };
const data = { quotes: ['AAPL', 'MSFT'], timers: ['10:01', '10:05'].map((at) => ({ name: at, at })) };

describe('a disk that accepts no writes', () => {
  test('stops sends with an alarm, and they continue once it accepts writes', async () => {
    const disk: Disk = { state: 'fine' };
    const stage = new Stage({ hooks: { solo: later }, data, disk });
    await stage.play(30 * SECOND);
    disk.state = 'full';
    await stage.pass(50 * SECOND);
    expect(stage.venue.sends).toBe(0);
    expect(stage.alarms).toEqual([
      'the disk is full. Nothing is sent until that is over; after 60 s the run ends',
    ]);
    disk.state = 'fine';
    await stage.pass(MINUTE);
    expect(stage.said(/the journal can be written again/)).toBe(true);
    await stage.pass(4 * MINUTE);
    expect(stage.states.at(-1)).toBe('working');
    expect(stage.venue.sends).toBe(stage.states.filter((state) => state === 'working').length);
    await settleAll(stage, 10 * MINUTE);
    expectSound(stage);
  });

  test('at the commit of a send keeps it from being sent', async () => {
    const disk: Disk = { state: 'fine' };
    const stage = new Stage({ hooks: { solo: buy }, disk });
    const place = stage.venue.place.bind(stage.venue);
    stage.venue.place = (terms, gate) =>
      place(terms, {
        open: (prepared) => gate.open(prepared),
        commit(request) {
          disk.state = 'full';
          gate.commit(request);
        },
      });
    await stage.play(20 * SECOND);
    expect(stage.venue.sends).toBe(0);
    expect(stage.states).toEqual(['refused']);
    expect(factsOf(stage).some((fact) => fact.kind === 'order')).toBe(false);
    disk.state = 'fine';
    await stage.pass(MINUTE);
    expect(factsOf(stage).flatMap((fact) => (fact.kind === 'order' ? [fact.event.kind] : []))).toEqual([
      'sent',
      'refused',
    ]);
    await settleAll(stage, MINUTE);
    expect(stage.runner.kernel.context.accountState.ledger.balance('solo', 'reserved', 'mUSD')).toBe(0n);
  });

  test('at the commit of a deposit keeps it from being sent', async () => {
    const world = new EmulatedWorld();
    let failures = 3;
    const writing = (journal: Journal): Journal => ({
      ...journal,
      commit(batch) {
        const isSend = batch.some(({ fact }) => fact.kind === 'transfer' && fact.event.kind === 'sent');
        if (isSend && failures-- > 0) throw new JournalError('the disk is full');
        journal.commit(batch);
      },
    });
    const buffer = { below: $('120000'), upTo: $('130000'), atLeast: $('100'), maxPerDay: $('90000') };
    await world.run(1, { treasury: { cashBuffer: buffer }, writing });
    expect(world.client.requests.byEndpoint['POST /api/v1/cash/deposits/send']).toBeUndefined();
    expect(world.operations).toMatchObject([{ state: { kind: 'refused', reason: /nothing was sent/ } }]);
    expect(ledgerOf(world).at(WALLET, USDC)).toBe($('50000'));
  });

  test('for longer than a minute ends the run, and the next start has lost nothing', async () => {
    const disk: Disk = { state: 'fine' };
    const stage = new Stage({ hooks: { solo: later }, data, disk });
    await stage.play(30 * SECOND);
    disk.state = 'full';
    await stage.pass(6 * MINUTE);
    expect(stage.failure).toBeInstanceOf(JournalError);
    expect(stage.venue.sends).toBe(0);
    const next = await new Stage({ hooks: { solo: later }, data, after: stage }).play(MINUTE);
    expect(next.failure).toBeNull();
    expect(next.venue.sends).toBe(2);
    await settleAll(next, 10 * MINUTE);
    expectSound(next);
  });

  test('shows the answer to a command only once it is written', async () => {
    const disk: Disk = { state: 'fine' };
    const stage = new Stage({ hooks: { solo: later }, data, disk });
    await stage.play(30 * SECOND);
    disk.state = 'full';
    const given = give(stage, { kind: 'trade', state: 'halted', scope: {} }, 'halt-0001');
    const progress = () => stage.runner.progress('halt-0001' as CommandId);
    await stage.pass(5 * SECOND);
    expect(progress()).toMatchObject({ answer: null, isDone: false });
    disk.state = 'fine';
    await stage.pass(5 * SECOND);
    expect(await given).toMatchObject({ kind: 'done' });
    expect(progress()).toMatchObject({ answer: { kind: 'done' }, isDone: true });
  });

  test('that is nearly full stops sends but not the run', async () => {
    const disk: Disk = { state: 'fine' };
    const stage = new Stage({ hooks: { solo: later }, data, disk });
    await stage.play(30 * SECOND);
    disk.state = 'nearly';
    await stage.pass(50 * SECOND);
    expect(stage.venue.sends).toBe(0);
    expect(stage.alarms[0]).toMatch(/nearly full/);
    expect(stage.states).toEqual(['abandoned']);
    disk.state = 'fine';
    await stage.pass(5 * MINUTE);
    expect(stage.venue.sends).toBe(1);
  });
});
