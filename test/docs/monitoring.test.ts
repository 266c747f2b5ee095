import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { metricsOf } from '../ops/metricsOf.ts';
import { SECOND, Stage } from '../engine/stage.ts';

const FOLDER = 'docs/examples/monitoring';

const dashboardSchema = z.object({
  panels: z.array(z.object({ title: z.string(), targets: z.array(z.object({ expr: z.string() })).min(1) })),
});
const rulesSchema = z.object({
  groups: z.array(z.object({ rules: z.array(z.object({ alert: z.string(), expr: z.string() })).min(1) })),
});

const dashboard = dashboardSchema.parse(JSON.parse(readFileSync(`${FOLDER}/grafana.json`, 'utf8')));
const rules = rulesSchema.parse(parse(readFileSync(`${FOLDER}/alerts.yaml`, 'utf8')));
const panels = dashboard.panels.flatMap(({ title, targets }) =>
  targets.map(({ expr }) => [title, expr] as const),
);
const alerts = rules.groups.flatMap((group) => group.rules.map(({ alert, expr }) => [alert, expr] as const));

/** Names of metrics in a text, without the suffixes of a histogram. */
const namesIn = (text: string): string[] => [
  ...new Set(
    [...text.matchAll(/\bdrover_[a-z_]+/g)].map(([name]) => name.replace(/_(bucket|count|sum)$/, '')),
  ),
];

/** Names that `/metrics` has, by its lines of type. */
async function offered(): Promise<string[]> {
  const stage = await new Stage().play(SECOND);
  const text = await metricsOf(stage).text();
  return [...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name = '']) => name);
}

describe('the dashboard and the alert rules', () => {
  test.each([...panels, ...alerts])('%s asks for metrics that there are', async (_title, expr) => {
    const names = await offered();
    expect(namesIn(expr)).not.toEqual([]);
    expect(namesIn(expr).filter((name) => !names.includes(name))).toEqual([]);
  });

  test('show every metric on a panel', async () => {
    const shown = new Set(panels.flatMap(([, expr]) => namesIn(expr)));
    expect((await offered()).filter((name) => !shown.has(name))).toEqual([]);
  });
});

test('each metric is in its page, and the page names no other', async () => {
  const page = namesIn(readFileSync('docs/metrics-live.md', 'utf8'));
  expect(page.toSorted()).toEqual((await offered()).toSorted());
});
