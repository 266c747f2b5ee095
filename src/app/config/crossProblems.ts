import { treeOf, type Tree } from '../../core/nesting.ts';
import { isTicker } from '../../domain/instrument.ts';
import { isLoopback } from './fields.ts';
import { limitProblems, NO_STOCK } from './limitProblems.ts';
import { notifyProblems } from './notify.ts';
import type { Path, Problem } from './problems.ts';

/** Problems between values that are each valid. Reads unchecked values, so that all problems are shown together. */
export function crossProblems(written: unknown): Problem[] {
  const { mode, submission, venue, treasury, strategies, external, limits, notify, stocks } = treeOf(written);
  return [
    ...limitProblems(treeOf(limits), ['limits']),
    ...Object.keys(treeOf(stocks))
      .filter((symbol) => !isTicker(symbol))
      .map((symbol): Problem => ({ path: ['stocks', symbol], ...NO_STOCK, at: 'key' })),
    ...(Array.isArray(strategies) ? strategies : []).flatMap((strategy: unknown, index) =>
      limitProblems(treeOf(treeOf(strategy)['limits']), ['strategies', index, 'limits']),
    ),
    ...venueProblems(mode, venue),
    ...(venue !== undefined && submission === 'calldata' ? submissionProblems(mode, treeOf(venue)) : []),
    ...clockProblems(treeOf(venue)),
    ...contractProblems(treeOf(treeOf(venue)['contracts'])),
    ...bufferProblems(treeOf(treeOf(treasury)['cashBuffer'])),
    ...treasuryProblems(mode, treeOf(venue), treeOf(treasury)),
    ...deferredProblems(Array.isArray(strategies) ? strategies : [], treeOf(limits), treeOf(treasury)),
    ...idProblems(Array.isArray(strategies) ? strategies : []),
    ...notifyProblems(treeOf(notify)),
    ...externalProblems(treeOf(external), Array.isArray(strategies) ? strategies : []),
  ];
}

function venueProblems(mode: unknown, venue: unknown): Problem[] {
  if ((mode !== 'live' && mode !== 'dry-run') || venue !== undefined) return [];
  const remedy = 'Add baseUrl, chainId, product and userAddress; config/live.example.yaml shows how';
  return [missing(['venue'], `mode ${mode} needs it`, remedy)];
}

/** Secrets are not required for the emulator of `mode: emulator`, which has its own, nor for a dry run, which sends nothing. */
function submissionProblems(mode: unknown, venue: Tree): Problem[] {
  if (mode !== 'live') return [];
  const remedy = 'Add it, or use submission: one-click; `drover emulator` prints its own';
  return ['router', 'rpcUrl']
    .filter((key) => venue[key] === undefined)
    .map((key) => missing(['venue', key], 'submission: calldata needs it', remedy));
}

/** Problem of a missing value, and of the setting that needs it. */
const missing = (path: Path, neededBy: string, remedy: string): Problem => ({
  path,
  problem: `is missing, and ${neededBy}`,
  remedy,
});

function clockProblems({ clock, controlUrl, baseUrl }: Tree): Problem[] {
  const path = ['venue', 'controlUrl'];
  if (clock !== 'follow')
    return controlUrl === undefined
      ? []
      : [{ path, problem: 'is only for clock: follow', remedy: 'Remove it, or add clock: follow' }];
  if (controlUrl === undefined)
    return [missing(path, 'clock: follow needs it', '`drover emulator` prints it')];
  return Object.entries({ baseUrl, controlUrl })
    .filter(([, url]) => !isLoopback(String(url)))
    .map(([key]) => ({
      path: ['venue', key],
      problem: 'must be on this machine with clock: follow',
      remedy: 'Use clock: system',
    }));
}

/** Requires a known contract for approvals by the wallet; that of `mode: emulator` is known. */
function treasuryProblems(mode: unknown, venue: Tree, treasury: Tree): Problem[] {
  if (mode !== 'live' || Object.keys(treasury).length === 0) return [];
  const { router, spender, rpcUrl } = venue;
  const problems: Problem[] = [];
  const wants = 'the treasury checks what the wallet has approved for it';
  if (router === undefined && spender === undefined)
    problems.push(
      missing(['venue', 'spender'], wants, 'Add it, or venue.router if that contract takes the tokens'),
    );
  const byHand = 'Add it, or approve by hand: `drover wallet approve`';
  if (treasury['approve'] !== undefined && rpcUrl === undefined)
    problems.push(missing(['venue', 'rpcUrl'], 'treasury.approve sends through it', byHand));
  return problems;
}

/** Requires a limit on debt and a way to repay it when strategies defer sells. */
function deferredProblems(strategies: readonly unknown[], limits: Tree, treasury: Tree): Problem[] {
  const allows = (strategy: unknown): boolean => {
    const { allowOrders } = treeOf(strategy);
    return Array.isArray(allowOrders) && allowOrders.includes('deferredSells');
  };
  if (!strategies.some(allows)) return [];
  const problems: Problem[] = [];
  const neededBy = 'allowOrders: [deferredSells] needs it';
  if (limits['debt'] === undefined)
    problems.push(
      missing(['limits', 'debt'], neededBy, 'Add the maximum that may be owed, in mUSD, such as 2000'),
    );
  if (treasury['repayDebt'] === undefined)
    problems.push(
      missing(['treasury', 'repayDebt'], neededBy, 'Add { maxPerDay: 2000 }: the run repays from the wallet'),
    );
  return problems;
}

/** Requires a different contract for each stock: otherwise one would be traded under the name of the other. */
function contractProblems(contracts: Tree): Problem[] {
  const symbolOf = new Map<string, string>();
  return Object.entries(contracts).flatMap(([symbol, contract]) => {
    const address = String(contract).toLowerCase();
    const path: Path = ['venue', 'contracts', symbol];
    if (!isTicker(symbol)) return [{ path, problem: 'is not a stock symbol', remedy: 'Write it like TSLA' }];
    const other = symbolOf.get(address);
    symbolOf.set(address, other ?? symbol);
    if (other === undefined) return [];
    return [{ path, problem: `is also the contract of ${other}`, remedy: 'Give each stock its own' }];
  });
}

function bufferProblems({ below, upTo }: Tree): Problem[] {
  if (below === undefined || upTo === undefined || !(Number(upTo) <= Number(below))) return [];
  const path: Path = ['treasury', 'cashBuffer', 'upTo'];
  return [
    { path, problem: 'must be more than below', remedy: 'Deposits fill the buffer from below up to it' },
  ];
}

function idProblems(strategies: readonly unknown[]): Problem[] {
  const ids = strategies.map((strategy) => treeOf(strategy)['id']);
  return ids.flatMap((id, index) => {
    const first = ids.indexOf(id);
    const path: Path = ['strategies', index, 'id'];
    if (id === undefined || first === index) return [];
    return [
      { path, problem: `${JSON.stringify(id)} is also the id of strategies[${first}]`, remedy: 'Rename one' },
    ];
  });
}

/** Requires the owner of accepted balances to be a strategy of this config. */
function externalProblems(external: Tree, strategies: readonly unknown[]): Problem[] {
  const ids = strategies.map((strategy) => treeOf(strategy)['id']);
  return Object.entries(external).flatMap(([key, rule]) => {
    const { accept } = treeOf(rule);
    if (accept === undefined || ids.includes(accept)) return [];
    return [
      {
        path: ['external', key, 'accept'],
        problem: `${JSON.stringify(accept)} is not a strategy of this config`,
        remedy: 'Name the id of one, or write just accept: deposits are then unallocated',
      },
    ];
  });
}
