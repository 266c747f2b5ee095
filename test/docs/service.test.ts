import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { EXIT } from '../../src/process/exitCodes.ts';
import { SCHEMA_VERSION } from '../../src/store/schema.ts';

const UNIT = 'deploy/drover.service';
const ANALYZE = '/usr/bin/systemd-analyze';
const unit = readFileSync(UNIT, 'utf8');
const page = readFileSync('docs/service.md', 'utf8');

test.runIf(existsSync(ANALYZE))('systemd-analyze finds nothing wrong with the unit', () => {
  const file = join(mkdtempSync(join(tmpdir(), 'drover-')), 'drover.service');
  writeFileSync(file, unit.replace('/usr/bin/node ', `${process.execPath} `));
  const said = execFileSync(ANALYZE, ['verify', '--man=no', file], { encoding: 'utf8', stdio: 'pipe' });
  expect(said).toBe('');
});

test('the unit does not restart a run that an operator has to look at first', () => {
  expect(unit).toContain(`RestartPreventExitStatus=${EXIT.usage} ${EXIT.interrupted}\n`);
});

test('docs/service.md states the journal schema of this version', () => {
  const [, schemas = ''] = /\n\| Schema([^]*?)\n\n/.exec(page) ?? [];
  const rows = [...schemas.matchAll(/^\| (\d+) +\|/gm)].map(([, schema]) => Number(schema));
  expect(Math.max(...rows)).toBe(SCHEMA_VERSION);
});

test('the unit is in the package', () => {
  const { files } = JSON.parse(readFileSync('package.json', 'utf8')) as { files: string[] };
  expect(files).toContain('deploy');
});
