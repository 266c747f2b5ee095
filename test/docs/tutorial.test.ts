import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { drover, type Ran } from '../cli/support/commandLine.ts';

const page = readFileSync('docs/tutorial.md', 'utf8');

/** A block of the page: a shell's commands, or a file that the reader saves, whole or a part of it. */
const blocks = [...page.matchAll(/^```(\S+) ?(.*)\n([^]*?)^```$/gm)].map(
  ([, language = '', title = '', text = '']) => ({ language, title, text }),
);

const words = (line: string): string[] =>
  [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');

/** Does what the page says, in an empty folder, in its order. Gives what each command of drover printed. */
async function follow(): Promise<(Ran & { readonly line: string })[]> {
  const cwd = mkdtempSync(join(tmpdir(), 'drover-tutorial-'));
  const ran: (Ran & { readonly line: string })[] = [];
  const files = new Map<string, string>();
  for (const { language, title, text } of blocks) {
    const [file = '', part] = title.split(' ');
    if (language === 'sh')
      for (const line of text.trim().split('\n')) {
        const result = await drover(words(line).slice(2), { cwd, env: { HOME: cwd } });
        ran.push({ ...result, line });
      }
    else if (file !== '') {
      const before = files.get(file) ?? '';
      files.set(file, part === undefined ? text : before.replace(/^ +onBar\([^]*?^ {6}\},\n/m, text));
      writeFileSync(join(cwd, file), files.get(file) ?? '');
    }
  }
  return ran;
}

test('the tutorial works, word by word', { timeout: 300_000 }, async () => {
  const ran = await follow();
  expect(ran.map(({ line, code, err }) => [line, code, code === 0 ? '' : err])).toEqual(
    ran.map(({ line }) => [line, 0, '']),
  );
  const out = (text: string) => ran.filter(({ line }) => line.includes(text)).map((result) => result.out);
  expect(out('--report')[0]).toContain('791 sent');
  expect(out('--report')[0]).toContain('fees 7,619');
  expect(out(`'{"symbol":"AAPL"}'`)[1]).toContain('147 sent');
  expect(out('--sensitivity')[0]).toContain('fees 3,197');
  expect(out('drover run')[0]).toContain('session of 2026-06-15 closed');
  expect(out('drover run')[1]).toContain('session of 2026-06-16 closed');
  expect(out('--kind planned')[0]).toContain('planned');
  expect(out('replay')[0]).toMatch(/^the same: /);
});
