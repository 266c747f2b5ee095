import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { sourceOf } from '../app/isolation/isolated.ts';
import { readerSource, thiefSource } from '../app/isolation/thieves.ts';
import { drover as inProcess } from '../cli/support/commandLine.ts';
import { drover, freshDir } from './cli.ts';

const folder = freshDir();
const file = join(folder, 'thief.ts');
const data = join(folder, 'data');
const given = ['--strategy', file, '--data', data];

beforeAll(async () => {
  writeFileSync(file, thiefSource('TEST'));
  mkdirSync(data);
  const generated = [
    'data',
    'generate',
    'TEST',
    '--from',
    '2024-01-02',
    '--to',
    '2024-02-01',
    '--data',
    data,
  ];
  expect((await inProcess(generated)).code).toBe(0);
}, 60_000);

/** Ways covered only by `npm run long`: their code runs in the same compartment as one that `npm test` covers. */
const LONG = ['lookahead-check', 'optimise in this process'];

describe.each([
  ['backtest', ['backtest', ...given]],
  ['backtest in threads', ['backtest', ...given, '--isolate']],
  ['lookahead-check', ['lookahead-check', ...given]],
  [
    'optimise in this process',
    ['optimise', ...given, '--workers', '1', '--study', join(folder, 'one.study')],
  ],
  ['optimise in threads', ['optimise', ...given, '--workers', '2', '--study', join(folder, 'two.study')]],
])('a strategy that tries every way out', (mode, args) => {
  const tags = LONG.includes(mode) ? ['long'] : [];
  test(`gets nothing else in ${mode}`, { tags }, async () => {
    const { out, err } = await drover([...args, '--json'], { DROVER_API_SECRET: 'canary' });
    const printed = `${out}\n${err}`;
    expect(printed).toMatch(/TRIED \d{3}/);
    expect(printed.split('\n').filter((line) => line.startsWith('LOOT'))).toEqual([]);
    expect(printed).not.toContain('canary');
  });
});

test('code in threads of a study prints no terminal control sequence', async () => {
  const printing = join(folder, 'printing.ts');
  writeFileSync(printing, "console.log('\\u001b]0;title\\u0007');\nexport default () => 1;");
  const search = ['--strategy', 'sma-cross', '--params', '{"symbol":"TEST"}', '--space', '{"fast":[2,3]}'];
  const threads = ['--objective', printing, '--workers', '2', '--study', join(folder, 'printing.study')];
  const { code, err } = await drover(['optimise', ...search, '--data', data, ...threads]);
  expect(code, err).toBe(0);
  expect(err).toContain('\\u001b]0;title\\u0007');
  expect(err).not.toContain('\u001b]0');
}, 60_000);

test('an objective function gets nothing but the result of a trial', async () => {
  const objective = join(folder, 'objective.ts');
  const body = thiefSource('TEST').replace(/export default[\s\S]*/, '');
  writeFileSync(
    objective,
    `${body}\nexport default (run) => { tryAll('objective', { run }); console.log('TRIED ' + tried); return 1; };`,
  );
  const study = join(folder, 'objective.study');
  const search = ['--strategy', 'sma-cross', '--params', '{"symbol":"TEST"}', '--space', '{"fast":[2,3]}'];
  const args = [
    'optimise',
    ...search,
    '--data',
    data,
    '--objective',
    objective,
    '--study',
    study,
    '--workers',
    '1',
  ];
  const { code, out, err } = await drover([...args, '--json']);
  expect(code, err).toBe(0);
  const printed = `${out}\n${err}`;
  expect(printed).toMatch(/TRIED \d{2}/);
  expect(printed.split('\n').filter((line) => line.startsWith('LOOT'))).toEqual([]);
}, 60_000);

describe.each(['backtest', 'lookahead-check'])('a fill model that tries every way out', (command) => {
  const tags = LONG.includes(command) ? ['long'] : [];
  test(`gets nothing else in ${command}`, { tags }, async () => {
    const [model, buyer] = ['model.ts', 'buyer.ts'].map((name) => join(folder, name)) as [string, string];
    const body = thiefSource('TEST')
      .replace(/export default[\s\S]*/, '')
      .replace('defineStrategy', 'defineFill');
    writeFileSync(
      model,
      `${body}
let asked = 0;
export default defineFill({
  name: 'thief',
  fill(at) {
    if (asked++ === 0) { tryAll('fill', at); console.log('TRIED ' + tried); }
    return { price: at.quote.price, shares: at.order.shares };
  },
});`,
    );
    writeFileSync(
      buyer,
      sourceOf(
        "{ onBar({ order, view }) { if (view.position('TEST') === 0) order.buy('TEST', { notional: 100 }); } }",
        '',
        { bars: [{ symbol: 'TEST', interval: '1d' }] },
      ),
    );
    const args = [command, '--strategy', buyer, '--data', data, '--fill', model];
    const { out, err } = await drover([...args, '--json'], { DROVER_API_SECRET: 'canary' });
    const printed = `${out}\n${err}`;
    expect(printed).toMatch(/TRIED \d{2}/);
    expect(printed.split('\n').filter((line) => line.startsWith('LOOT'))).toEqual([]);
    expect(printed).not.toContain('canary');
  });
});

/** A strategy next to private files of its owner. Their texts do not look like secrets. */
function folderOfReader(file: string): string {
  const own = freshDir();
  for (const place of ['config', 'keys', 'state']) mkdirSync(join(own, place));
  for (const name of ['tokens.json', 'keys/plain.json', 'state/plain.json', 'queue.json'])
    writeFileSync(join(own, name), JSON.stringify('plain words'));
  writeFileSync(join(own, 'reader.ts'), readerSource(file));
  writeFileSync(
    join(own, 'config/live.yaml'),
    `mode: emulator
control: { listen: 127.0.0.1:0, tokens: ../tokens.json }
state: ../state
emulator: { start: '2026-06-15T09:25', speed: max, seed: 1 }
strategies: [{ id: reader, use: ../reader.ts, capital: '1000' }]
`,
  );
  return own;
}

const OBJECTIVE = ['--strategy', 'sma-cross', '--params', '{"symbol":"TEST"}', '--space', '{"fast":[2,3]}'];

describe.each<[mode: string, args: (own: string) => readonly string[]]>([
  ['backtest', (own) => ['backtest', '--strategy', join(own, 'reader.ts'), '--data', data]],
  [
    'backtest in threads',
    (own) => ['backtest', '--isolate', '--strategy', join(own, 'reader.ts'), '--data', data],
  ],
  ['backtest of a config', (own) => ['backtest', '--config', join(own, 'config/live.yaml'), '--data', data]],
  [
    'backtest of a config in threads',
    (own) => ['backtest', '--isolate', '--config', join(own, 'config/live.yaml'), '--data', data],
  ],
  ['lookahead-check', (own) => ['lookahead-check', '--strategy', join(own, 'reader.ts'), '--data', data]],
  ['run', (own) => ['run', '--config', join(own, 'config/live.yaml')]],
  ['doctor', (own) => ['doctor', '--config', join(own, 'config/live.yaml')]],
  ['optimise', (own) => ['optimise', '--strategy', join(own, 'reader.ts'), '--data', data]],
  ['optimise of a config', (own) => ['optimise', '--config', join(own, 'config/live.yaml'), '--data', data]],
  [
    'the function of an objective',
    (own) => ['optimise', ...OBJECTIVE, '--data', data, '--objective', join(own, 'reader.ts')],
  ],
])('a private file or folder', (mode, argsIn) => {
  test(`is not bundled into the code of ${mode}`, async () => {
    const files = ['./tokens.json', './state/plain.json', './keys/plain.json'];
    for (const file of mode.startsWith('optimise') ? [...files, './queue.json'] : files) {
      const own = folderOfReader(file);
      const queue = file === './queue.json' ? ['--queue-password', join(own, 'queue.json')] : [];
      const env = { DROVER_KEYSTORE_DIR: join(own, 'keys') };
      const { code, out, err } = await inProcess([...argsIn(own), ...queue], { env });
      expect(code, `${file}: ${out}${err}`).not.toBe(0);
      expect(`${out}${err}`).toContain('is a secret or the state of a run');
      expect(`${out}${err}`).not.toContain('plain words');
    }
  });
});

test('a file with a dynamic import or a direct eval is refused with a reason', async () => {
  for (const [text, why] of [
    ["console.log('import (' + 1)", 'import('],
    ["eval('1')", 'eval('],
    ["console.log('<!--')", '<!--'],
  ] as const) {
    const odd = join(folder, 'odd.ts');
    writeFileSync(odd, `${text};\n${thiefSource('TEST')}`);
    const { code, err } = await inProcess(['backtest', '--strategy', odd, '--data', data]);
    expect(code).toBe(2);
    expect(err).toContain(why);
    expect(err).toContain('odd.ts:1:');
  }
  expect(readdirSync(folder)).not.toContain('stolen');
}, 60_000);

const TWO_FACED =
  'let asked = 0; const twoFaced = (target) => new Proxy(target, { getPrototypeOf: () => (asked++ === 0 ? Promise.prototype : Object.prototype) });';
const SEEN =
  "const look = (name) => ({ configurable: true, value: (...given) => { console.log('LOOT', name, given.length); return []; } });";
const DAILY = { bars: [{ symbol: 'TEST', interval: '1d' }] } as const;

test.each([
  [
    'hooks that claim to be a promise at the first access',
    sourceOf(
      "twoFaced({ onBar({ view }) { if ('append' in view.bars('TEST', '1d')) console.log('LOOT'); } })",
      TWO_FACED,
      DAILY,
    ),
  ],
  [
    'a promise of a hook with methods of its own',
    sourceOf(
      "{ onBar() { return Object.defineProperties(Promise.resolve(), { catch: look('catch'), then: look('then') }); } }",
      SEEN,
      DAILY,
    ),
  ],
  [
    'needs that claim to be a promise at the first access',
    sourceOf(
      '{}',
      `${TWO_FACED} ${SEEN} const needs = () => { const bars = [{ symbol: 'TEST', interval: '1d' }]; for (const name of ['map', 'flatMap', 'filter', 'forEach', 'some']) Object.defineProperty(bars, name, look(name)); return twoFaced({ bars }); };`,
      DAILY,
    ).replace(/data: .*/, 'data: needs,'),
  ],
])('the program calls nothing that a strategy replaced: %s', async (_, source) => {
  const odd = join(folder, 'odd-shape.ts');
  writeFileSync(odd, source);
  const { code, err } = await drover(['backtest', '--strategy', odd, '--data', data]);
  expect(err).not.toContain('LOOT');
  expect(code, err).not.toBe(0);
});

test('the ordered weights are the checked ones, even if a second read differs', async () => {
  const odd = join(folder, 'odd-weights.ts');
  writeFileSync(
    odd,
    `import { defineSignals } from 'drover/strategy';
import { z } from 'zod';
let asked = 0;
const weight = { [Symbol.toPrimitive]: () => (asked++ % 3 === 2 ? 1000 : 1) };
export default defineSignals({
  name: 'odd', description: 'For a test.', params: z.strictObject({}),
  data: () => (${JSON.stringify(DAILY)}),
  signals: (columns) => ({ TEST: Array.from(columns.of('TEST').start, () => weight) }),
});`,
  );
  const { code, err } = await drover(['backtest', '--strategy', odd, '--data', data]);
  expect(code, err).not.toBe(0);
  expect(err).toContain('weight of TEST');
});

test('a backtest shows views, bars and orders frozen and without switches of the engine', async () => {
  const looking = join(folder, 'looking.ts');
  const hooks = `{ onStart({ view, order }) {
    const bars = view.bars('TEST', '1d');
    const switches = [['append', bars], ['show', bars], ['beginAt', bars], ['enabled', order], ['isOpen', order]];
    console.log('SEEN', switches.filter(([name, one]) => name in one).length, [view, bars, order, order.buy].every(Object.isFrozen));
  } }`;
  writeFileSync(looking, sourceOf(hooks, '', { bars: [{ symbol: 'TEST', interval: '1d' }] }));
  const { code, err } = await drover(['backtest', '--strategy', looking, '--data', data]);
  expect(code, err).toBe(0);
  expect(err).toContain('SEEN 0 true');
}, 60_000);
