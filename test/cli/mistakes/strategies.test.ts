import { describe } from 'vitest';
import { answersEach, bars, config, strategy } from './mistakes.ts';

const run = 'run my.yaml --speed max';
const using = (file: string) => `strategies:\n  - { id: one, use: ${file}, capital: 1000 }\n`;
const params = (text: string) => config().replace('{ symbol: SPY, notional: 50 }', text);

describe('strategy parameters:', () => {
  answersEach([
    {
      mistake: 'one misspelt',
      command: run,
      files: { 'my.yaml': params('{ symbol: SPY, notionl: 50 }') },
      place: 'my.yaml:2:64: strategies[0].params.notionl',
      reason: 'unknown key',
      remedy: 'Did you mean "notional"?',
    },
    {
      mistake: 'one missing',
      command: run,
      files: { 'my.yaml': params('{ symbol: SPY }') },
      place: 'strategies[0].params.notional',
      reason: 'is missing',
      remedy: 'mUSD to spend each session',
    },
    {
      mistake: 'a symbol in lower case',
      command: run,
      files: { 'my.yaml': params('{ symbol: spy, notional: 50 }') },
      place: 'strategies[0].params.symbol',
      reason: 'not "spy"',
      remedy: 'upper case, such as AAPL',
    },
    {
      mistake: 'a time with am',
      command: run,
      files: { 'my.yaml': params('{ symbol: SPY, notional: 50, at: 9:30am }') },
      place: 'strategies[0].params.at',
      reason: 'not "9:30am"',
      remedy: '"open+15m"',
    },
    {
      mistake: 'weights in percent',
      command: run,
      files: {
        'my.yaml':
          'strategies: [{ id: one, use: rebalance, capital: 5, params: { weights: { MSFT: 60, AAPL: 40 } } }]',
      },
      place: 'my.yaml:1:80: strategies[0].params.weights.MSFT',
      reason: 'must be at most 1, not 60',
      remedy: 'such as { SPY: 0.6, AAPL: 0.3 }',
    },
    {
      mistake: 'some for a strategy that takes none',
      command: run,
      files: {
        'my.yaml': using('./mine.ts').replace('1000', '1000, params: { fast: 5 }'),
        'mine.ts': strategy('{}'),
      },
      place: 'strategies[0].params',
      reason: 'unknown key',
      remedy: 'There is no setting here',
    },
    {
      mistake: 'missing on the command line',
      command: 'backtest --strategy dca --bars SPY=spy.csv',
      files: { 'spy.csv': bars },
      place: '--params: symbol',
      reason: 'is missing',
      remedy: 'The stock to buy',
    },
    {
      mistake: 'names without quotes on the command line',
      command: "backtest --strategy dca --params '{symbol:SPY}' --bars SPY=spy.csv",
      files: { 'spy.csv': bars },
      place: '--params',
      reason: 'in JSON at position 1',
      remedy: `--params '{"symbol":"AAPL"}'`,
    },
    {
      mistake: 'a symbol mistyped',
      command: run,
      files: { 'my.yaml': params('{ symbol: NVDIA, notional: 50 }') },
      place: 'my.yaml:2:59: one asks for NVDIA',
      reason: 'not listed at this venue',
      remedy: 'Did you mean NVDA? Listed are AAPL',
    },
    {
      mistake: 'a number as text on the command line',
      command: `backtest --strategy sma-cross --params '{"symbol":"SPY","fast":"5"}' --bars SPY=spy.csv`,
      files: { 'spy.csv': bars },
      place: '--params: fast',
      reason: 'must be a whole number, not "5"',
      remedy: 'Bars in the fast average',
    },
  ]);
});

describe('a strategy:', () => {
  answersEach([
    {
      mistake: 'a bundled one misspelt',
      command: run,
      files: { 'my.yaml': using('dcaa') },
      place: 'my.yaml:2:21: strategies[0].use',
      reason: 'no strategy is called "dcaa"',
      remedy: 'Did you mean dca?',
    },
    {
      mistake: 'a file that is not there',
      command: run,
      files: { 'my.yaml': using('./mine.ts') },
      place: 'strategies[0].use: mine.ts',
      reason: 'there is no such file',
      remedy: 'Correct the path',
    },
    {
      mistake: 'a folder',
      command: run,
      files: { 'my.yaml': using('./strategies'), 'strategies/': '' },
      place: 'strategies[0].use: strategies',
      reason: 'is a folder',
      remedy: 'Name the file in it',
    },
    {
      mistake: 'a file of another kind',
      command: run,
      files: { 'my.yaml': using('./spy.csv'), 'spy.csv': bars },
      place: 'strategies[0].use: spy.csv',
      reason: 'is neither TypeScript nor JavaScript',
      remedy: 'Name a .ts or .js file',
    },
    {
      mistake: 'no default export',
      command: run,
      files: { 'my.yaml': using('./mine.ts'), 'mine.ts': 'export const a = 1;\n' },
      place: 'mine.ts:1:1',
      reason: 'the file has no default export',
      remedy: 'Write `export default defineStrategy({ … })`',
    },
    {
      mistake: 'a syntax error',
      command: run,
      files: { 'my.yaml': using('./mine.ts'), 'mine.ts': 'export default {\n' },
      place: 'mine.ts:2:1',
      reason: 'Expected identifier but found end of file',
      remedy: 'Correct it and start again',
    },
    {
      mistake: 'a package that is not installed',
      command: run,
      files: { 'my.yaml': using('./mine.ts'), 'mine.ts': "import x from 'lodash';\nexport default x;\n" },
      place: 'mine.ts:1:15',
      reason: 'Could not resolve "lodash"',
      remedy: 'npm install lodash',
    },
    {
      mistake: 'a module of Node',
      command: run,
      files: { 'my.yaml': using('./mine.ts'), 'mine.ts': "import fs from 'node:fs';\nexport default fs;\n" },
      place: 'mine.ts:1:16',
      reason: 'is a built-in module of Node',
      remedy: 'Remove it',
    },
    {
      mistake: 'bars of a length that there is not',
      command: run,
      files: {
        'my.yaml': using('./mine.ts'),
        'mine.ts': strategy('{}', "{ bars: [{ symbol: 'SPY', interval: '2m' }] }"),
      },
      place: 'one, data.bars.0.interval',
      reason: 'not "2m"',
      remedy: 'must be 1m, 3m, 5m, 15m, 1h, 1d or 1w',
    },
    {
      mistake: 'a hook misspelt',
      command: 'backtest --strategy ./mine.ts --bars SPY=spy.csv',
      files: { 'mine.ts': strategy('{ onbar() {} }'), 'spy.csv': bars },
      exit: 1,
      place: 'strategy mine',
      reason: 'onbar is no hook',
      remedy: 'did you mean onBar?',
    },
    {
      mistake: 'an asynchronous hook',
      command: 'backtest --strategy ./mine.ts --bars SPY=spy.csv',
      files: { 'mine.ts': strategy('{ async onBar() {} }'), 'spy.csv': bars },
      exit: 1,
      place: 'strategy mine threw at 2026-01-02',
      reason: 'onBar is synchronous',
      remedy: 'Remove async and await',
    },
    {
      mistake: 'an error in a hook',
      command: 'backtest --strategy ./mine.ts --bars SPY=spy.csv',
      files: { 'mine.ts': strategy("{ onBar() { throw new Error('boom'); } }"), 'spy.csv': bars },
      exit: 1,
      place: 'mine.ts:7:',
      reason: 'boom',
      remedy: 'after bar 1 of SPY 1d',
    },
  ]);
});
