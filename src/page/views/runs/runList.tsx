import { useSignal } from '@preact/signals';
import { counted } from '../../../core/counted.ts';
import { signed, written, type Format } from '../../../figures/format.ts';
import type { Headline } from '../../../report/headline.ts';
import type { RunRow } from '../../../ops/model/past.ts';
import type { RunList } from '../../../ops/past/runs.ts';
import { Filters } from '../../parts/filters.tsx';
import { commandLine, Problem, Words } from '../../parts/words.tsx';
import { useReading } from '../../parts/reading.ts';
import { Table } from '../../parts/table.tsx';
import { newYorkMinute } from '../../parts/times.ts';
import { hashOf, type Place } from '../../place.ts';
import { nameOf, ORDERS, rowsIn } from './rows.ts';
import type { ViewProps } from '../viewProps.ts';
import { ComparisonView } from './comparison.tsx';
import { RunPage } from './run.tsx';

/** Runs with a record: all of them, one, or two side by side. */
export function Runs({ daemon, place }: ViewProps) {
  const { id, query, base } = place;
  const [a, b] = [query.get('a'), query.get('b')];
  if (id === null && (a === undefined || b === undefined))
    return <RunListView daemon={daemon} place={place} />;
  return (
    <>
      <p class="first">
        <a href={hashOf({ base, view: 'runs' })}>All runs</a>
      </p>
      {id === null ? (
        <ComparisonView key={`${a} ${b}`} daemon={daemon} base={base} a={a ?? ''} b={b ?? ''} />
      ) : (
        <RunPage key={id} daemon={daemon} base={base} id={id} />
      )}
    </>
  );
}

/** Minimum time in ms between two reads of a list, as each reads complete records. */
const AGAIN_MS = 60_000;

type ListProps = Pick<ViewProps, 'daemon' | 'place'>;

/** This run and the saved ones with their headlines, with links to open one or compare two. */
export function RunListView({ daemon, place }: ListProps) {
  const looks = useSignal(0);
  const chosen = place.query.get('a') ?? null;
  return (
    <>
      {chosen === null ? null : <Chosen id={chosen} place={place} />}
      <h2>This run</h2>
      <OwnRuns daemon={daemon} place={place} />
      <h2>Saved runs</h2>
      <Filters
        place={place}
        name="Saved runs"
        kept={['a']}
        fields={[
          { name: 'text', title: 'Name, strategy or stock contains' },
          { name: 'order', title: 'Order by', choices: ORDERS, needed: ORDERS[0] },
        ]}
      />
      <SavedRuns key={looks.value} daemon={daemon} place={place} again={() => looks.value++} />
    </>
  );
}

/** Line that names the run selected for a comparison. */
const Chosen = ({ id, place }: Readonly<{ id: string; place: Place }>) => (
  <p class="panel first" role="status">
    <b>A</b> is <Words text={nameOf(id)} />. Choose <b>B</b> below, or{' '}
    <a href={hashOf({ ...place, query: withoutA(place.query) })}>leave it</a>.
  </p>
);

const withoutA = (query: Place['query']) => new Map([...query].filter(([key]) => key !== 'a'));

function OwnRuns({ daemon, place }: ListProps) {
  const { value, problem } = useReading<RunList>(daemon, 'v1/runs?kind=live', { againMs: AGAIN_MS });
  return (
    <>
      <Problem text={problem} />
      {value === null ? null : <Rows name="This run" rows={value.runs} place={place} />}
      {value === null && problem === null ? <p class="none">Reading the journal…</p> : null}
    </>
  );
}

function SavedRuns({ daemon, place, again }: ListProps & Readonly<{ again: () => void }>) {
  const { value, problem } = useReading<RunList>(daemon, 'v1/runs?kind=saved', { againMs: AGAIN_MS });
  if (value === null)
    return problem === null ? <p class="none">Reading the folder…</p> : <Problem text={problem} />;
  const { runs, left, folder } = value;
  const shown = rowsIn(runs, place.query.get('text') ?? '', place.query.get('order') ?? '');
  return (
    <>
      <Problem text={problem ?? value.problem} />
      <p class="of list-state" role="status">
        <span>
          {shown.length} of {runs.length} in <Words text={folder} />
          {left === 0 ? '' : `; ${left.toLocaleString('en-US')} older ones are not read`}
        </span>
        <button type="button" onClick={again}>
          Look again
        </button>
      </p>
      {runs.length === 0 ? (
        <p class="none">
          None is saved yet.{' '}
          <code>
            <Words
              text={`mkdir -p ${folder} && ${commandLine(`drover backtest … --save ${folder}/NAME.json`)}`}
              whole
            />
          </code>{' '}
          puts one here.
        </p>
      ) : (
        <Rows name="Saved runs" rows={shown} place={place} />
      )}
    </>
  );
}

const COLUMNS = [
  { title: 'Run', isLong: true },
  { title: 'Days' },
  { title: 'Profit', unit: 'mUSD', isNumber: true },
  { title: 'Return', isNumber: true },
  { title: 'Sharpe', isNumber: true },
  { title: 'Drawdown', isNumber: true },
  { title: 'Trades', isNumber: true },
  { title: 'Fees', unit: 'mUSD', isNumber: true },
  { title: 'Compare' },
];

function Rows({ name, rows, place }: Readonly<{ name: string; rows: readonly RunRow[]; place: Place }>) {
  const cellsOf = (row: RunRow) => [
    <Identity row={row} base={place.base} />,
    ...(row.headline === null
      ? COLUMNS.slice(1).map(() => null)
      : [...figuresOf(row.headline), <CompareLink id={row.id} place={place} />]),
  ];
  const keyed = rows.map((row) => ({ key: row.id, cells: cellsOf(row) }));
  return <Table name={name} columns={COLUMNS} rows={keyed} empty="No run matches." />;
}

const figuresOf = ({ from, to, pnl, fees, trades, metrics }: Headline) => [
  `${from.slice(0, 10)} – ${to.slice(0, 10)}`,
  <Signed value={Number(pnl)} format="money" />,
  <Signed value={metrics.totalReturn} format="percent" />,
  written(metrics.sharpe, 'ratio'),
  written(metrics.maxDrawdown, 'percent'),
  written(trades, 'round'),
  written(Number(fees), 'money'),
];

/** Amount won or lost. */
function Signed({ value, format }: Readonly<{ value: number | null; format: Format }>) {
  const sign = value === null || value === 0 ? '' : value > 0 ? 'gain' : 'loss';
  return <span class={sign}>{signed(value, format)}</span>;
}

type IdentityProps = Readonly<{ row: RunRow; base: string }>;

/** Name and description of a run, or what is wrong with its file. */
function Identity({ row: { id, kind, name, savedAt, headline, problem }, base }: IdentityProps) {
  const saved = savedAt === null ? [] : [`saved ${newYorkMinute(Date.parse(savedAt))}`];
  if (headline === null)
    return (
      <>
        <Words text={name} />
        <div class="loss">
          <Words text={problem ?? ''} whole />
        </div>
        <div class="of">{saved.join('')}</div>
      </>
    );
  return (
    <>
      <a href={hashOf({ base, view: 'runs', id })}>
        <Words text={name} />
      </a>
      <div class="of">
        <Words text={[headline.kind, ...saved, ...whatOf(headline, kind)].join(' · ')} whole />
      </div>
    </>
  );
}

/** Strategies and stocks of a run; for this run, whose rows are named after its strategies, only the stocks. */
function whatOf({ strategy, symbols }: Headline, kind: RunRow['kind']): string[] {
  const strategies = strategy.split(', ');
  const what = strategies.length > 1 ? counted(strategies.length, 'strategy', 'strategies') : strategy;
  const isNamed = kind === 'live' && strategies.length === 1;
  return [...(isNamed ? [] : [what]), ...(symbols.length === 0 ? [] : [symbols.join(', ')])];
}

/** Link to compare a run: first selects it, then compares another with it. */
function CompareLink({ id, place }: Readonly<{ id: string; place: Place }>) {
  const chosen = place.query.get('a');
  if (chosen === id) return <>A</>;
  const [query, text] =
    chosen === undefined
      ? [new Map([...place.query, ['a', id]]), 'Compare']
      : [
          new Map([
            ['a', chosen],
            ['b', id],
          ]),
          'Choose as B',
        ];
  return (
    <a
      href={hashOf({ ...place, query })}
      aria-label={chosen === undefined ? `Compare ${nameOf(id)}` : `Compare with ${nameOf(id)}`}
    >
      {text}
    </a>
  );
}
