/** @module-tag heavy */
import { expect, test } from 'vitest';
import { SECOND, Stage } from '../../engine/stage.ts';
import { isolated, sourceOf, startIsolated } from './isolated.ts';

const LINES = 50;
const SPEAK = `for (let at = 0; at < ${LINES}; at++) console[at % 2 ? 'log' : 'error']('line', at);`;
const SPOKEN = Array.from({ length: LINES }, (_, at) => `line ${at}\n`).join('');

test.each([
  ['ends in order', SPEAK],
  ['throws in the hook', `${SPEAK} throw new Error('boom');`],
  ['throws outside its hooks', `void Promise.resolve().then(() => { ${SPEAK} throw new Error('boom'); });`],
  ['never ends the hook', `${SPEAK} for (;;);`],
])(
  'the output of a hook is shown whole and in order, even when the strategy then %s',
  async (ending, code) => {
    const printed: string[] = [];
    const limits = ending === 'never ends the hook' ? { hookMs: 500 } : {};
    const given = { limits, print: (text: string) => void printed.push(text) };
    const strategies = [await isolated('tried', sourceOf(`{ onStop() { ${code} } }`), given)];
    const stage = await new Stage({ more: { strategies } }).play(SECOND);
    await stage.stop();
    expect(printed.join('')).toBe(SPOKEN);
  },
);

test('the output of loading is shown before the thread is closed', async () => {
  const printed: string[] = [];
  const loud = await startIsolated(sourceOf('{}', SPEAK), { print: (text) => printed.push(text) });
  loud.load({}, () => new Error('unfit'));
  await loud.close();
  expect(printed.join('')).toBe(SPOKEN);
});

test.each([
  ['empty lines', "console.log('\\n'.repeat(99_999))"],
  ['one text of 300 MB', "console.log('\\n'.repeat(3e8))"],
])('a hook that prints %s again and again is stopped, and the process keeps its memory', async (_, print) => {
  const hooks = `{ onStart() { for (;;) ${print}; } }`;
  const strategies = [
    await isolated('tried', sourceOf(hooks), { limits: { hookMs: 1_000, memoryMb: 1_024 } }),
  ];
  const before = process.memoryUsage.rss();
  const stage = await new Stage({ more: { strategies } }).play(SECOND);
  expect(process.memoryUsage.rss() - before).toBeLessThan(2e9);
  expect(stage.runner.kernel.context.accountState.stopped.get('tried')).toContain('did not end within 1 s');
  await stage.stop();
});
