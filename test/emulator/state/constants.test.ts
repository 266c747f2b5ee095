import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import * as documented from '../../../src/domain/fees.ts';
import { FINE_PRICE_STEP, PRICE_STEP } from '../../../src/domain/instrument.ts';
import { CODES, DELEGATION_ENABLED, OPERATION_STATUS } from '../../../src/api/assumptions/venueRules.ts';
import { INTERVALS } from '../../../src/domain/bar.ts';
import {
  BAR_INTERVALS,
  constants,
  constantsView,
  GENESIS_CONSTANTS,
  CODES as VENUE_CODES,
} from '../../../src/emulator/state/constants.ts';
import { genesis } from '../../../src/emulator/state/genesis.ts';
import { openMachine } from '../../../src/emulator/index.ts';
import { openStore, storeFile } from '../../../src/emulator/machine/store.ts';
import { epochMs } from '../../../src/core/brand.ts';
import { parseCommand } from '../../../src/emulator/machine/commands.ts';

/** Values that both tables have, as the runner documents them and as the emulator starts. Equal unless a difference is intended. */
const PAIRS: readonly (readonly [what: string, runner: unknown, venue: unknown])[] = [
  ['fees', documented.DOCUMENTED_FEES, GENESIS_CONSTANTS.fees],
  ['stated fees', documented.DOCUMENTED_FEES, GENESIS_CONSTANTS.statedFees],
  ['least notional', documented.MIN_NOTIONAL, GENESIS_CONSTANTS.minNotional],
  ['step of prices', PRICE_STEP, GENESIS_CONSTANTS.tick],
  ['step of small prices', FINE_PRICE_STEP, GENESIS_CONSTANTS.fineTick],
  ['rows of a page', documented.PAGE_ROWS_MAX, GENESIS_CONSTANTS.listRowsMax],
  ['bars of an answer', documented.BARS_MAX, GENESIS_CONSTANTS.barsMax],
  ['lengths of bars', INTERVALS, BAR_INTERVALS],
  ['codes', CODES, VENUE_CODES],
];

describe('the tables of runner and emulator', () => {
  test.each(PAIRS)('agree on %s', (_what, runner, venue) => {
    expect(runner).toEqual(venue);
  });

  test('are separate copies', () => {
    expect(documented.DOCUMENTED_FEES).not.toBe(GENESIS_CONSTANTS.fees);
    expect(CODES).not.toBe(VENUE_CODES);
  });

  test('agree on the words of delegation and operations', () => {
    const { accounts } = genesis({ seed: 1, start: epochMs(0), indexerLagMs: 0 });
    expect(accounts[0]?.delegation.status).toBe(DELEGATION_ENABLED);
    expect(Object.keys(OPERATION_STATUS)).toEqual(['processing', 'success', 'failed']);
  });
});

describe('changed constants', () => {
  const changed = (body: object) => {
    const { machine } = openMachine({});
    machine.command(parseCommand('constants', body), machine.state.now);
    return machine.state.constants;
  };

  test('leave the others unchanged', () => {
    expect(changed({ fees: { buyMintFeeBps: 12 } })).toEqual({
      ...GENESIS_CONSTANTS,
      fees: { buyMintFeeBps: 12, buyProtocolFeeBps: 1, sellProtocolFeeBps: 1 },
      statedFees: { buyMintFeeBps: 12, buyProtocolFeeBps: 1, sellProtocolFeeBps: 1 },
    });
  });

  test('can charge a fee that is not stated', () => {
    const { fees, statedFees } = changed({ fees: { buyMintFeeBps: 12 }, statedFees: { buyMintFeeBps: 10 } });
    expect([fees.buyMintFeeBps, statedFees.buyMintFeeBps]).toEqual([12, 10]);
  });

  test.each([{ tick: '0' }, { fees: { buyMintFeeBps: -1 } }, { fees: { other: 1 } }, { minNotional: '-1' }])(
    'of %j are refused, and change nothing',
    (body) => {
      const { machine } = openMachine({});
      expect(() => machine.command(parseCommand('constants', body), machine.state.now)).toThrow();
      expect(machine.state.constants).toEqual(GENESIS_CONSTANTS);
    },
  );

  test('have a switch each', () => {
    expect(Object.keys(constants.shape).sort()).toEqual(Object.keys(GENESIS_CONSTANTS).sort());
  });

  test('are shown with amounts as decimal texts', () => {
    const { machine } = openMachine({});
    expect(JSON.parse(JSON.stringify(constantsView(machine.state)))).toMatchObject({
      fees: GENESIS_CONSTANTS.fees,
      minDeposit: '90',
      minNotional: '1',
      tick: '0.01',
      fineTick: '0.0001',
      listRowsMax: 100,
      windowMs: 45_000,
      deadlineMaxS: null,
      words: {},
      texts: [],
    });
  });

  test('are those of genesis in a state written before there were any', () => {
    const stateDir = mkdtempSync(join(tmpdir(), 'drover-emulator-'));
    openMachine({ stateDir }).close();
    const store = openStore(storeFile(stateDir));
    const saved = store.snapshot();
    if (!saved) throw new Error('nothing was saved');
    Reflect.deleteProperty(saved, 'constants');
    store.save(saved);
    store.close();
    const again = openMachine({ stateDir });
    expect(again.machine.state.constants).toEqual(GENESIS_CONSTANTS);
    again.close();
  });
});
