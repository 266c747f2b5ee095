import { ENTERED } from './entries.ts';
let entries: string[] = []; let on = false;
Object.assign(globalThis, { [ENTERED]: (place: string) => { if (on) entries.push(place); } });
const { m5y } = await import('./bars.ts');
const { backtestOf } = await import('./backtestSet.ts');
const { runBacktest } = await import('../src/backtest/runBacktest.ts');
const benchSma = (await import('./strategies/bench-sma.ts')).default;
const set = m5y(42, 3);
let n = 0; const marks: [number, string][] = [];
on = true;
await runBacktest({ cash: '1000000', fees: 'bps:10', fill: 'next-open', slippage: 'none', strategy: benchSma as any, params: { symbol: 'X', interval: '1m' }, bars: [{ symbol: 'X', interval: set.interval, ...set.columns }],
  onFact: ({ fact }: any) => { marks.push([entries.length, fact.kind + (fact.kind === 'order' ? ':' + fact.event.kind : '')]); } } as any);
on = false;
// print the walk between the 20th and 21st intentCreated
const idx = marks.filter(([, k]) => k === 'intentCreated').map(([i]) => i);
const [a, b] = [idx[20]!, idx[22]!];
const all = entries.slice(a - 400, b);
const bars = entries.reduce<number[]>((r, e, i) => (e.includes('FastPath.showBar') && !e.includes('showBars') ? [...r, i] : r), []);
const quiet = bars.map((x, i) => [x, bars[i + 1] ?? 0]).find(([x, y]) => y! - x! < 60 && y! > x!)!;
console.log('quiet bar', quiet[1]! - quiet[0]!); console.log(entries.slice(quiet[0], quiet[1]).join('\n'));
const first = bars.filter((x) => x < idx[20]!).at(-1)!, last = bars.filter((x) => x < idx[22]!).at(-1)!;
const seg = entries.slice(first, last);
console.log('two orders', seg.length, 'bars', bars.filter((x) => x >= first && x < last).length);
const firstOrderEnd = bars.filter((x) => x > idx[20]!).find((x) => true)!;
console.log(entries.slice(first, firstOrderEnd + 60).join('\n'));
