import { describe, expect, test } from 'vitest';
import { parseCash } from '../../../src/core/amount.ts';
import { Secrets } from '../../../src/core/secrets.ts';
import { parseConfig } from '../../../src/app/config/load.ts';
import { policiesOf } from '../../../src/app/config/sections.ts';
import { groupsFor, needsWallet } from '../../../src/app/environment/submission.ts';

const configOf = (text: string) =>
  parseConfig(`${text}\nstrategies: [{ id: one, use: dca, capital: 1000 }]\n`, {
    file: 'my.yaml',
    cwd: '/home/me',
    secrets: new Secrets(),
    overrides: [],
  }).config;

const buffer = "cashBuffer: { below: '500', upTo: 900, maxPerDay: 900 }";
const sells = (how: string) => `stockForSells: { how: ${how}, maxPerOrder: 100, maxPerDay: 200 }`;

describe('the treasury section', () => {
  test('is off and signs nothing by default', () => {
    for (const text of ['', 'treasury: {}', `treasury: { ${sells('off')} }`]) {
      expect(policiesOf(configOf(text))).toEqual({ byHand: new Set() });
      expect(groupsFor(configOf(text))).toEqual([]);
    }
  });

  test('allows the signing groups that its policies need, each once', () => {
    const policies = `treasury: { ${buffer}, ${sells('deposit')}, repayDebt: { maxPerDay: 50 } }`;
    expect(groupsFor(configOf(policies))).toEqual(['deposits', 'stockMoves', 'repay']);
    const named = `signing: { allow: [deposits, record] }\ntreasury: { ${buffer} }`;
    expect(groupsFor(configOf(named))).toEqual(['deposits', 'record']);
    expect(policiesOf(configOf(policies))).toEqual({
      byHand: new Set(),
      cashBuffer: {
        below: parseCash('500'),
        upTo: parseCash('900'),
        maxPerDay: parseCash('900'),
        atLeast: parseCash('100'),
        token: undefined,
      },
      stockForSells: { onlyAsked: false, maxPerOrder: parseCash('100'), maxPerDay: parseCash('200') },
      repayDebt: { maxPerDay: parseCash('50') },
    });
  });

  test('allows signing for the wallet only if the wallet sends transactions itself', () => {
    const text = `submission: calldata\ntreasury: { ${buffer}, ${sells('deposit')} }`;
    expect(groupsFor(configOf(text))).toEqual(['calldata', 'record']);
  });

  test('approves up to a cap for each token, and needs the wallet for it', () => {
    const approving = configOf('treasury: { approve: { usdc: 2000, SPY: 1.5 } }');
    const caps = new Map([
      ['USDC', parseCash('2000')],
      ['SPY', parseCash('1.5')],
    ]);
    expect(policiesOf(approving)).toEqual({ byHand: new Set(), approve: caps });
    expect([approving, configOf('')].map(needsWallet)).toEqual([true, false]);
  });

  test('takes a token address in any case', () => {
    const token = '0x3d467aB1CD9994491461b101dF8Ab942669F5113';
    const text = `treasury: { cashBuffer: { below: 1, upTo: 2, maxPerDay: 3, token: '${token}' } }`;
    expect(policiesOf(configOf(text)).cashBuffer?.token).toBe(token.toLowerCase());
  });
});
