import { z } from 'zod';
import { runBacktest } from '../src/backtest/runBacktest.ts';
import { epochMs } from '../src/core/brand.ts';
import { InvariantError } from '../src/core/errors.ts';
import { ticker } from '../src/domain/instrument.ts';
import type { Kernel } from '../src/engine/kernel/kernel.ts';
import { inProcess } from '../src/engine/strategy/strategyRuntime.ts';
import { defineStrategy } from '../src/strategy/index.ts';
import { m1x20 } from './bars.ts';
import { median, timed, type Result } from './result.ts';
import { listing, MORNING, startKernelOn } from './trading.ts';

const SYMBOLS = Array.from({ length: 100 }, (_, index) => `S${String(index).padStart(2, '0')}`);
/** Armed stops per stock: 1,000 in total. */
const STOPS = 10;
const SESSIONS = 8;
const MINUTES = 390;
const ROUNDS = 5;
const LOOKS = 400;

/** Measures the cost of 1,000 armed stops on 100 stocks: in a backtest, and per price read in a run. */
export async function armed(): Promise<Result[]> {
  const bars = barsOfAll();
  await backtestSeconds(bars, STOPS);
  const [rates, ratios, looks, lookRatios] = [[] as number[], [] as number[], [] as number[], [] as number[]];
  for (let round = 0; round < ROUNDS; round++) {
    const without = await backtestSeconds(bars, 0);
    const withStops = await backtestSeconds(bars, STOPS);
    rates.push((SYMBOLS.length * SESSIONS * MINUTES) / withStops / 1e6);
    ratios.push(without / withStops);
    const [bare, guarded] = [kernelWith(0), kernelWith(STOPS)];
    const bareMs = await timed(() => lookOften(bare));
    const guardedMs = await timed(() => lookOften(guarded));
    looks.push(guardedMs / LOOKS);
    lookRatios.push(guardedMs / bareMs);
  }
  const vs = 'none armed';
  return [
    { name: 'armed-backtest', value: median(rates), unit: 'M bars/s', ratio: { vs, x: median(ratios) } },
    { name: 'armed-look', value: median(looks), unit: 'ms', ratio: { vs, x: median(lookRatios) } },
  ];
}

type Bars = ReturnType<typeof barsOfAll>;

function barsOfAll() {
  const sets = m1x20();
  const cut = (values: Float64Array) => values.slice(0, SESSIONS * MINUTES);
  return SYMBOLS.map((symbol, index) => {
    const columns = sets[index % sets.length]?.columns;
    if (!columns) throw new InvariantError('no bars');
    const { start, open, high, low, close, volume } = columns;
    const ohlc = { open: cut(open), high: cut(high), low: cut(low), close: cut(close) };
    return { symbol, interval: '1m' as const, start: cut(start), ...ohlc, volume: cut(volume) };
  });
}

/** Buys each stock at its first bar, and protects the position with `stops` stops that no price reaches. */
const guardian = (bars: Bars, stops: number) =>
  defineStrategy({
    name: 'guardian',
    description: 'arms stops for a benchmark',
    params: z.strictObject({}),
    data: () => ({ bars: bars.map(({ symbol, interval }) => ({ symbol, interval })) }),
    create() {
      const seen = new Set<string>();
      return {
        onBar({ bar: { symbol }, order }) {
          if (seen.size === bars.length || seen.has(symbol)) return;
          seen.add(symbol);
          order.buy(symbol, { shares: 2 * STOPS });
        },
        onFill({ fill: { symbol, price, side }, order }) {
          if (side === 'sell') return;
          for (let nth = 0; nth < stops; nth++)
            order.stop(symbol, { shares: 1, stop: Math.round(price * (50 + nth)) / 100 });
        },
      };
    },
  });

async function backtestSeconds(bars: Bars, stops: number): Promise<number> {
  const before = process.cpuUsage();
  const { fills } = await runBacktest({
    strategy: guardian(bars, stops),
    bars,
    cash: '100000000',
    fees: 'none',
    slippage: 'none',
    benchmark: 'none',
  });
  if (fills.length !== SYMBOLS.length) throw new InvariantError('a stop was reached');
  return process.cpuUsage(before).user / 1e6;
}

/** A kernel whose strategy subscribes to the prices of all stocks and has `stops` stops armed on each. */
function kernelWith(stops: number): Kernel {
  const definition = defineStrategy({
    name: 'guardian',
    description: 'arms stops for a benchmark',
    params: z.strictObject({}),
    data: () => ({ quotes: SYMBOLS }),
    create: () => ({
      onQuote: () => undefined,
      onTimer({ order }) {
        for (const symbol of SYMBOLS)
          for (let nth = 0; nth < stops; nth++)
            order.stop(symbol, { side: 'buy', shares: 1, stop: 150 + nth });
      },
    }),
  });
  const kernel = startKernelOn(inProcess(definition, {}), { quotes: SYMBOLS }, SYMBOLS);
  kernel.handle({ kind: 'timer', strategyId: 'bench', timer: 'arm' }, MORNING);
  const { size } = kernel.context.accountState.synthetics.live;
  if (size !== stops * SYMBOLS.length) throw new InvariantError(`${size} are armed`);
  return kernel;
}

/** Reads prices that all change every time. */
function lookOften(kernel: Kernel): void {
  for (let look = 1; look <= LOOKS; look++) {
    const at = epochMs(MORNING + look * 5_000);
    const price = (100 + (look % 50) / 100).toFixed(2);
    kernel.handle(
      { kind: 'listed', listings: SYMBOLS.map((symbol) => listing(ticker(symbol), price, at)) },
      at,
    );
  }
}
