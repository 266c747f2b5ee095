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
