import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openApi } from '../../../../src/api/openapi.ts';
import { startEmulator } from '../../../../src/emulator/index.ts';
import { drover } from '../../support/commandLine.ts';

const document = JSON.parse(JSON.stringify(openApi())) as unknown;
const cwd = mkdtempSync(join(tmpdir(), 'drover-'));

test('openapi prints the document, and with --json on one line', async () => {
  const [pretty, line] = [await drover(['openapi'], { cwd }), await drover(['openapi', '--json'], { cwd })];
  expect([pretty.code, line.code]).toEqual([0, 0]);
  expect(JSON.parse(pretty.out)).toEqual(document);
  expect(JSON.parse(line.out)).toEqual(document);
  expect(line.out.trim()).not.toContain('\n');
});

test('openapi --out writes the document to a file, and says when it cannot', async () => {
  const { code, out } = await drover(['openapi', '--out', 'venue.json'], { cwd });
  expect([code, out]).toEqual([0, '']);
  expect(JSON.parse(readFileSync(join(cwd, 'venue.json'), 'utf8'))).toEqual(document);
  const nowhere = await drover(['openapi', '--out', 'no/where.json'], { cwd });
  expect(nowhere.code).toBe(2);
  expect(nowhere.err).toMatch(
    /--out: cannot write .*no\/where\.json: there is no folder .*no\. Make it first/,
  );
});

test('the emulator serves the OpenAPI document on its control port', async () => {
  const { info, close } = await startEmulator({ speed: 0 });
  const answer = await fetch(`${info.controlUrl}/openapi.json`);
  expect(await answer.json()).toEqual(document);
  await close();
});
