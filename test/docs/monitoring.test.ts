import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { describe, expect, test } from 'vitest';
import { formatted } from '../formatted.ts';
import { z } from 'zod';
import {
  helpOf,
  isCounter,
  METRIC_GROUPS,
  scrapedName,
  type MetricEntry,
} from '../../src/ops/metricTable.ts';
import { metricsOf } from '../ops/metricsOf.ts';
import { SECOND, Stage } from '../engine/stage.ts';
import { wrapped } from './wrapped.ts';

const FOLDER = 'deploy/monitoring';

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

/** Names of the metrics in `/metrics`, by its type lines. */
async function offered(): Promise<string[]> {
  const stage = await new Stage().play(SECOND);
  const text = await metricsOf(stage).text();
  return [...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name = '']) => name);
}

describe('the dashboard and the alert rules', () => {
  test.each([...panels, ...alerts])('use only existing metrics: %s', async (_title, expr) => {
    const names = await offered();
    expect(namesIn(expr)).not.toEqual([]);
    expect(namesIn(expr).filter((name) => !names.includes(name))).toEqual([]);
  });

  test('show every metric on a panel, except replaced ones', async () => {
    const shown = new Set(panels.flatMap(([, expr]) => namesIn(expr)));
    const asked = new Set([...shown, ...alerts.flatMap(([, expr]) => namesIn(expr))]);
    expect((await offered()).filter((name) => !shown.has(name) && !replaced.includes(name))).toEqual([]);
    expect(replaced.filter((name) => asked.has(name))).toEqual([]);
  });

  test('apply growth functions to counters, and never to gauges', () => {
    for (const [title, expr] of [...panels, ...alerts])
      for (const [, asked = ''] of expr.matchAll(/(?:rate|increase)\((drover_\w+)/g))
        expect(/_(total|bucket|count)$/.test(asked), `${title}: ${asked}`).toBe(true);
  });

  test('have a rule for an alarm, for what cannot be sent and for what cannot be protected', () => {
    const names = alerts.map(([name]) => name);
    expect(names).toEqual(
      expect.arrayContaining([
        'DroverCannotProtect',
        'DroverCannotSend',
        'DroverCriticalAlarm',
        'DroverAlarm',
      ]),
    );
    expect(new Set(names).size).toBe(names.length);
  });
});

const replaced = Object.values(METRIC_GROUPS).flatMap((group) =>
  Object.entries<MetricEntry>(group).flatMap(([name, { replacedBy }]) =>
    replacedBy ? [scrapedName(name)] : [],
  ),
);

test('a replaced metric names its successor, which exists, and says how long it stays', async () => {
  const text = await metricsOf(await new Stage().play(SECOND)).text();
  expect(replaced).not.toEqual([]);
  for (const name of replaced) {
    const [, other = ''] =
      new RegExp(`^# HELP ${name} Deprecated, gone with 0\\.\\d+: (\\w+)\\. `, 'm').exec(text) ?? [];
    expect(text).toContain(`# TYPE ${other} counter\n`);
  }
});

test('a metric is a counter exactly if its name ends in _total', async () => {
  const text = await metricsOf(await new Stage().play(SECOND)).text();
  for (const [, name = '', type = ''] of text.matchAll(/^# TYPE (\S+) (\w+)$/gm))
    expect([name, type === 'counter']).toEqual([name, name.endsWith('_total')]);
});

const FILE = 'docs/metrics-live.md';
const LISTS = /(<!-- metrics: (.+) -->\n)[^]*?(<!-- end of metrics -->)/g;

/** Metrics of a group as a Markdown list: name, help and labels. */
const listOf = (group: Readonly<Record<string, MetricEntry>>): string =>
  Object.entries(group)
    .map(([name, entry]) => {
      const { labels = [], buckets } = entry;
      const help = helpOf(entry);
      const kinds = labels.length > 0 ? [labels.length > 1 ? 'labels' : 'label'] : [];
      const parts = [
        `- \`${scrapedName(name)}\`${buckets ? ', a histogram' : isCounter(name) ? ', a counter' : ''}: ${help.charAt(0).toLowerCase()}${help.slice(1)}`,
        ...kinds.map((kind) => `${kind} ${labels.map((label) => `\`${label}\``).join(', ')}`),
      ];
      return wrapped(parts.join('; '));
    })
    .join('\n');

/** After a change of the table: `npm run docs`. */
test('docs/metrics-live.md lists every group of metrics as the table has it', async () => {
  const groups: string[] = [];
  const written = readFileSync(FILE, 'utf8').replace(LISTS, (...[, begin, group, end]: string[]) => {
    groups.push(group ?? '');
    return `${begin}\n${listOf(METRIC_GROUPS[group as keyof typeof METRIC_GROUPS])}\n\n${end}`;
  });
  expect(groups).toEqual(Object.keys(METRIC_GROUPS));
  await expect(await formatted(FILE, written)).toMatchFileSnapshot(`../../${FILE}`);
});

test('a scrape has every metric of the table', async () => {
  const table = Object.values(METRIC_GROUPS).flatMap((group) => Object.keys(group).map(scrapedName));
  expect((await offered()).toSorted()).toEqual(table.toSorted());
});
