import { readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import type { Result } from './result.ts';

/** Results of one run. `date`: `YYYY-MM-DD`. */
type Entry = Readonly<{
  version: string;
  date: string;
  node: string;
  cpu: string;
  results: readonly Result[];
}>;

const FILE = 'bench/history.json';
const PICTURE = 'bench/history.svg';

/** Adds the results of a run to the stored ones, replacing those of the same version and day, and redraws all charts. */
export function keep(results: readonly Result[]): void {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
  const date = new Date().toISOString().slice(0, 10);
  const stored = JSON.parse(readFileSync(FILE, 'utf8')) as readonly Entry[];
  const isSame = (entry: Entry) => entry.version === version && entry.date === date;
  const measured = new Set(results.map(({ name }) => name));
  const others = stored.find(isSame)?.results.filter(({ name }) => !measured.has(name)) ?? [];
  const cpu = cpus()[0]?.model.trim() ?? 'unknown';
  const entry = { version, date, node: process.versions.node, cpu, results: [...others, ...results] };
  const entries = [...stored.filter((one) => !isSame(one)), entry];
  writeFileSync(FILE, `${JSON.stringify(entries, null, 2)}\n`);
  writeFileSync(PICTURE, drawn(entries));
}

const [WIDTH, HEIGHT, COLUMNS] = [300, 130, 3];
const [LEFT, TOP, INNER_WIDTH, INNER_HEIGHT] = [12, 40, 276, 56];

/** A small chart over the versions for each ratio, because ratios vary little between machines. */
export function drawn(entries: readonly Entry[]): string {
  const names = [
    ...new Set(entries.flatMap(({ results }) => results.filter(hasRatio).map(({ name }) => name))),
  ];
  const charts = names.map((name, index) => {
    const at = `translate(${(index % COLUMNS) * WIDTH} ${Math.floor(index / COLUMNS) * HEIGHT})`;
    return `<g transform="${at}">${chart(name, entries)}</g>`;
  });
  const height = Math.ceil(names.length / COLUMNS) * HEIGHT;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH * COLUMNS} ${height}" font-family="sans-serif" font-size="11">`,
    `<rect width="${WIDTH * COLUMNS}" height="${height}" fill="white"/>`,
    ...charts,
    '</svg>\n',
  ].join('\n');
}

const hasRatio = ({ ratio }: Result): boolean => ratio !== undefined;

function chart(name: string, entries: readonly Entry[]): string {
  const points = entries.flatMap(({ version, results }, index) => {
    const ratio = results.find((result) => result.name === name)?.ratio;
    return ratio === undefined ? [] : [{ version, index, ...ratio }];
  });
  const most = Math.max(...points.map(({ x }) => x));
  const along = (index: number) => LEFT + (INNER_WIDTH * index) / Math.max(entries.length - 1, 1);
  const up = (x: number) => TOP + INNER_HEIGHT * (1 - x / most);
  const dots = points.map(
    ({ version, index, x }) =>
      `<circle cx="${along(index).toFixed(1)}" cy="${up(x).toFixed(1)}" r="3" fill="#1f5fa8"><title>${version}: ${x.toFixed(3)}</title></circle>`,
  );
  const line = points.map(({ index, x }) => `${along(index).toFixed(1)},${up(x).toFixed(1)}`).join(' ');
  const [first, last] = [points[0], points.at(-1)];
  return [
    `<text x="${LEFT}" y="16" font-weight="bold">${name}</text>`,
    `<text x="${LEFT}" y="31" fill="#555">${last?.x.toPrecision(3) ?? ''} × ${last?.vs ?? ''}</text>`,
    `<line x1="${LEFT}" x2="${LEFT + INNER_WIDTH}" y1="${up(0)}" y2="${up(0)}" stroke="#bbb"/>`,
    `<polyline points="${line}" fill="none" stroke="#1f5fa8"/>`,
    ...dots,
    `<text x="${LEFT}" y="${up(0) + 15}" fill="#555">${first?.version ?? ''}</text>`,
    `<text x="${LEFT + INNER_WIDTH}" y="${up(0) + 15}" fill="#555" text-anchor="end">${last?.version ?? ''}</text>`,
  ].join('');
}
