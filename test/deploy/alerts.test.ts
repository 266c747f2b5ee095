import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { HARMLESS, HEALTHY, TROUBLES, type Series } from './alertCases.ts';
import { isInstalled } from './programs.ts';

const RULES = 'deploy/monitoring/alerts.yaml';
const names = z
  .object({ groups: z.array(z.object({ rules: z.array(z.object({ alert: z.string() })) })) })
  .parse(parse(readFileSync(RULES, 'utf8')))
  .groups.flatMap(({ rules }) => rules.map(({ alert }) => alert));

test('every alert rule has a case in which it fires', () => {
  expect(Object.keys(TROUBLES).toSorted()).toEqual(names.toSorted());
});

const seriesOf = (changes: Readonly<Record<string, string | null>>): Series =>
  Object.fromEntries(
    Object.entries<string | null>({ ...HEALTHY, ...changes }).flatMap(([name, values]) =>
      values === null ? [] : [[name, values]],
    ),
  );

type Expectation = Readonly<{ among: string; firing: readonly string[] }>;

/** A case for promtool: after half an hour exactly these of the rules in `among` fire. */
const caseOf = (name: string, series: Series, { among, firing }: Expectation) => ({
  name,
  interval: '1m',
  input_series: Object.entries(series).map(([each, values]) => ({ series: each, values })),
  promql_expr_test: [
    {
      expr: `count by (alertname) (ALERTS{alertstate="firing",alertname=~"${among}"})`,
      eval_time: '30m',
      exp_samples: firing.map((alert) => ({ labels: `{alertname="${alert}"}`, value: 1 })),
    },
  ],
});

test.skipIf(!isInstalled('promtool'))(
  'promtool: each rule fires for its problem, and none fires while nothing is wrong',
  { timeout: 120_000 },
  () => {
    const folder = mkdtempSync(join(tmpdir(), 'drover-rules-'));
    copyFileSync(RULES, join(folder, 'alerts.yaml'));
    const cases = [
      caseOf('nothing is wrong', HEALTHY, { among: '.+', firing: [] }),
      ...Object.entries(TROUBLES).flatMap(([alert, troubles]) =>
        troubles.map((trouble) => caseOf(alert, seriesOf(trouble), { among: alert, firing: [alert] })),
      ),
      ...Object.entries(HARMLESS).map(([alert, changes]) =>
        caseOf(`no ${alert}`, seriesOf(changes), { among: alert, firing: [] }),
      ),
    ];
    writeFileSync(
      join(folder, 'cases.yaml'),
      stringify({ rule_files: ['alerts.yaml'], evaluation_interval: '1m', tests: cases }),
    );
    const run = (...argv: string[]) => execFileSync('promtool', argv, { cwd: folder, encoding: 'utf8' });
    expect(run('check', 'rules', 'alerts.yaml')).toContain(`${names.length} rules found`);
    expect(run('test', 'rules', 'cases.yaml')).toContain('SUCCESS');
  },
);
