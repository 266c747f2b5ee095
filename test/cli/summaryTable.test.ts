import { expect, test } from 'vitest';
import { summaryText } from '../../src/cli/run/summaryTable.ts';
import { MINUTE, SECOND, Stage } from '../engine/stage.ts';

const GREEN = '\u001b[32m';
const YELLOW = '\u001b[33m';
const RED = '\u001b[31m';

/** The line of the books, in colour, of a run whose account another has changed; it goes on for `ms` after that. */
async function booksLine(ms: number, change: bigint): Promise<string> {
  const stage = await new Stage().play(10 * SECOND);
  stage.venue.cash += change;
  await stage.pass(ms);
  stage.runner.stop('the test is over');
  await stage.pass(MINUTE);
  if (!stage.summary) throw new Error('the run does not end');
  const text = summaryText(stage.summary, { out: () => undefined, err: () => undefined, colour: true });
  return /^books {4}(.*)$/m.exec(text)?.[1] ?? '';
}

test('what the last comparison found is told though it does not count yet, and is not called well', async () => {
  const line = await booksLine(25 * SECOND, 1n);
  expect(line).toContain('not settled yet: mUSD');
  expect(line.startsWith(`${YELLOW}0 differences in `)).toBe(true);
});

test('a difference that has counted is red, and none is green', async () => {
  const counted = await booksLine(5 * MINUTE, 1n);
  expect(counted).toContain('; still open: mUSD');
  expect(counted.startsWith(`${RED}1 differences in `)).toBe(true);
  const none = await booksLine(5 * MINUTE, 0n);
  expect(none.startsWith(`${GREEN}0 differences in `)).toBe(true);
  expect(none).not.toContain(';');
});
