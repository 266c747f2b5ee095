import { chmodSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { drover } from '../support/commandLine.ts';

/** A mistake of a newcomer, the command that contains it, and what its message must state. */
export type Mistake = Readonly<{
  mistake: string;
  /** As typed after `drover`; single quotes hold a word together. */
  command: string;
  /** Files in the working directory, by name. A mode may follow the name: `key.txt 644`. A name that ends in / is a folder. */
  files?: Readonly<Record<string, string>>;
  /** Default 2. */
  exit?: number;
  /** Where: a file with its line, a flag, a command, a path from the working directory. */
  place: string;
  reason: string;
  remedy: string;
}>;

/** A config with one strategy after these lines. */
export const config = (...lines: readonly string[]): string =>
  [
    ...lines,
    'strategies:',
    '  - { id: one, use: dca, capital: 1000, params: { symbol: SPY, notional: 50 } }',
    '',
  ].join('\n');

/** A config of mode live that lacks only keys. */
export const live = (...lines: readonly string[]): string =>
  config(
    'mode: live',
    'state: ./state',
    'limits: { orderNotional: 100, positionNotional: 100, grossExposure: 100, ordersPerMinute: 5, dayLoss: 50, priceBandBps: 100, quoteAgeMs: 60000 }',
    "venue: { baseUrl: 'http://127.0.0.1:9', chainId: 143, product: ProductA, userAddress: '0x3d467aB1CD9994491461b101dF8Ab942669F5113' }",
    ...lines,
  );

/** A strategy file with this body of `create` and these `data`. */
export const strategy = (hooks: string, data = "{ bars: [{ symbol: 'SPY', interval: '1d' }] }"): string => `
import { defineStrategy } from 'drover/strategy';
import { z } from 'zod';
export default defineStrategy({
  name: 'mine', description: 'Mine.', params: z.strictObject({}),
  data: () => (${data}),
  create: () => (${hooks}),
});
`;

/** Three daily bars of a stock at 100. */
export const bars = `ts,open,high,low,close,volume
2026-01-02,100,101,99,100,10
2026-01-05,100,101,99,100,10
2026-01-06,100,101,99,100,10
`;

const words = (command: string): string[] =>
  [...command.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');

function folderWith(files: Readonly<Record<string, string>>): string {
  const cwd = mkdtempSync(join(tmpdir(), 'drover-mistake-'));
  for (const [name, text] of Object.entries(files)) {
    const [file = '', mode] = name.split(' ');
    const path = join(cwd, file);
    mkdirSync(file.endsWith('/') ? path : dirname(path), { recursive: true });
    if (!file.endsWith('/')) writeFileSync(path, text);
    if (mode !== undefined) chmodSync(path, Number.parseInt(mode, 8));
  }
  return cwd;
}

/** Tests that each mistake ends with its exit code and a message that says where, why and what to do, and not with a crash. */
export function answersEach(mistakes: readonly Mistake[]): void {
  test.each(mistakes)(
    '$mistake is answered with place, reason and remedy: drover $command',
    async ({ command, files = {}, exit = 2, ...message }) => {
      const cwd = folderWith(files);
      const { code, err } = await drover(words(command), { cwd, env: { HOME: cwd } });
      const said = err.replaceAll(`${cwd}/`, '');
      for (const part of [message.place, message.reason, message.remedy]) expect(said).toContain(part);
      expect({ code, crash: /unexpected|ENOENT|EISDIR|ENOTDIR|Invalid input/.exec(said)?.[0] }).toEqual({
        code: exit,
        crash: undefined,
      });
    },
  );
}
