import { expect, test } from 'vitest';
import { NoAnswerError, VenueRefusedError } from '../../src/core/errors.ts';
import { MultiplierReader } from '../../src/wallet/tokenMultipliers.ts';
import type { Rpc } from '../../src/wallet/rpc.ts';

const TOKEN = `0x${'ab'.repeat(20)}` as const;
const [RATIO, MULTIPLIER, PER_SHARE] = ['0xa60bf13d', '0x2b63c300', '0xa781a3fd'];
const word = (value: bigint) => value.toString(16).padStart(64, '0');
const WAD = 10n ** 18n;

/** Reader of a token that responds to these calls, and the calls it received. */
function readerOf(answers: Readonly<Record<string, string>>) {
  const asked: string[] = [];
  const ask = (_method: string, [call]: readonly unknown[]) => {
    const { data } = call as { data: string };
    asked.push(data);
    const answer = answers[data];
    if (answer === 'gone') return Promise.reject(new NoAnswerError('no answer'));
    return answer === undefined
      ? Promise.reject(new VenueRefusedError('execution reverted'))
      : Promise.resolve(answer);
  };
  return { reader: new MultiplierReader({ ask } as unknown as Rpc), asked };
}

test.each([
  ['ERC-8056', { [`${RATIO}`]: `0x${word(WAD + 5n)}` }, { ratio: WAD + 5n, growth: null }],
  [
    'xStocks',
    { [`${MULTIPLIER}`]: `0x${word(2n * WAD)}${word(3n)}${word(4n)}` },
    { ratio: null, growth: 2n * WAD },
  ],
  ['dShares', { [`${PER_SHARE}`]: `0x${word(WAD)}` }, { ratio: null, growth: WAD }],
  ['none of these', {}, { ratio: null, growth: null }],
  [
    'no contract',
    { [`${RATIO}`]: '0x', [`${MULTIPLIER}`]: '0x', [`${PER_SHARE}`]: '0x01' },
    { ratio: null, growth: null },
  ],
])('the multipliers of a token of %s are read', async (_, answers, expected) => {
  const { reader } = readerOf(answers as Record<string, string>);
  expect(await reader.of(TOKEN)).toEqual(expected);
});

test('a call that a token refuses is not made again; one that the node did not answer is', async () => {
  const answers: Record<string, string> = { [`${MULTIPLIER}`]: 'gone' };
  const { reader, asked } = readerOf(answers);
  await expect(reader.of(TOKEN)).rejects.toThrow('no answer');
  answers[`${MULTIPLIER}`] = `0x${word(WAD)}`;
  expect(await reader.of(TOKEN)).toEqual({ ratio: null, growth: WAD });
  expect(await reader.of(TOKEN)).toEqual({ ratio: null, growth: WAD });
  expect(asked).toEqual([RATIO, MULTIPLIER, MULTIPLIER, MULTIPLIER]);
});
