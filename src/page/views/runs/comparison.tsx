import type { ComparedRun, RunComparison } from '../../../ops/past/runs.ts';
import {
  comparisonParts,
  isOneRun,
  markIn,
  metricBlock,
  type ComparisonPart,
} from '../../../report/comparisonText.ts';
import { KEY_METRICS } from '../../../report/html/keyFigures.ts';
import type { Connection } from '../../connection/connection.ts';
import { withMinus } from '../../parts/amounts.tsx';
import { Figures } from '../../parts/figures.tsx';
import { Problem, Words } from '../../parts/words.tsx';
import { useReading } from '../../parts/reading.ts';
import { Table } from '../../parts/table.tsx';
import { newYorkMinute } from '../../parts/times.ts';
import { hashOf } from '../../place.ts';
import { comparedFigures, comparedOf } from './comparedFigures.ts';
import { nameOf } from './rows.ts';
import type { TextBlock, TextList, TextTable, TextLine } from '../../../report/textBlocks.ts';

/** Minimum time in ms between two reads of active runs. */
const AGAIN_MS = 60_000;

type ComparisonProps = Readonly<{ daemon: Connection; base: string; a: string; b: string }>;

/** Two runs side by side: equities, and everything that `drover compare` shows. */
export function ComparisonView({ daemon, base, a, b }: ComparisonProps) {
  const path = `v1/compare?${new URLSearchParams({ a, b }).toString()}`;
  const { value, problem } = useReading<RunComparison>(daemon, path, { againMs: AGAIN_MS });
  return (
    <>
      <h2>Two runs</h2>
      <dl class="figures keyed">
        <Side name="A" mark="s1 strong" id={a} run={value?.a ?? null} base={base} />
        <Side name="B" mark="s2" id={b} run={value?.b ?? null} base={base} />
      </dl>
      <p class="choices">
        <a
          href={hashOf({
            base,
            view: 'runs',
            query: new Map([
              ['a', b],
              ['b', a],
            ]),
          })}
        >
          Swap them
        </a>
        <a href={hashOf({ base, view: 'runs', query: new Map([['a', a]]) })}>Another run to compare with A</a>
      </p>
      <Problem text={problem} />
      {value === null && problem === null ? <p class="none">Reading both records…</p> : null}
      {value === null ? null : <Compared comparison={value} />}
    </>
  );
}

type SideProps = Readonly<{ name: string; mark: string; id: string; run: ComparedRun | null; base: string }>;

function Side({ name, mark, id, run, base }: SideProps) {
  return (
    <div>
      <dt>
        <i class={`key ${mark}`} />
        {name}
      </dt>
      <dd>
        <a href={hashOf({ base, view: 'runs', id })}>
          <Words text={nameOf(id)} />
        </a>
      </dd>
      {run === null ? null : (
        <dd class="of">
          <Words
            text={[
              run.run.kind,
              run.run.strategy,
              run.run.symbols.join(', '),
              `${run.run.from.slice(0, 10)} to ${run.run.to.slice(0, 10)}`,
            ].join(' · ')}
            whole
          />
        </dd>
      )}
    </div>
  );
}

const NAMES = ['A', 'B'] as const;

function Compared({ comparison }: Readonly<{ comparison: RunComparison }>) {
  const { a, b, same, metrics } = comparison;
  const style = { names: NAMES, mark: markIn(a, b), timeOf: newYorkMinute, listedBy: 'GET /v1/compare' };
  const main = metricBlock(
    metrics.filter(({ name }) => KEY_METRICS.has(name)),
    style,
  );
  const isOne = isOneRun(comparison);
  return (
    <>
      {same ? <p class="first">A and B are the same run{isOne ? '' : ', measured in two ways'}.</p> : null}
      {a.marks.length + b.marks.length === 0 ? (
        <p class="none">No session has closed in either run.</p>
      ) : (
        <Figures figures={comparedFigures(comparison)} id="equity" sessions={comparedOf(comparison).dates} />
      )}
      <Part part={{ title: 'main metrics', blocks: [main] }} />
      {isOne ? null : comparisonParts(comparison, style).map((part) => <Part key={part.title} part={part} />)}
    </>
  );
}

/** Part of the comparison, with its title capitalised. */
const Part = ({ part: { title, blocks } }: Readonly<{ part: ComparisonPart }>) => (
  <>
    <h2>{title.charAt(0).toUpperCase() + title.slice(1)}</h2>
    {blocks.map((block, index) => (
      <Block key={index} block={block} name={title} />
    ))}
  </>
);

/** Maximum number of rows of a table that is open by default. */
const OPEN_ROWS = 20;

function Block({ block, name }: Readonly<{ block: TextBlock; name: string }>) {
  if ('text' in block) return <Line line={block} />;
  if ('items' in block) return <List list={block} />;
  const { length } = block.rows;
  if (length <= OPEN_ROWS) return <Rows table={block} name={name} />;
  return (
    <details class="more">
      <summary>Show all {length}</summary>
      <Rows table={block} name={name} />
    </details>
  );
}

const Line = ({ line: { label, text } }: Readonly<{ line: TextLine }>) => (
  <p class="after">
    {label === undefined ? null : <span class="of">{label} </span>}
    <Words text={withMinus(text)} whole />
  </p>
);

const List = ({ list: { head, items, left } }: Readonly<{ list: TextList }>) => (
  <details class="more">
    <summary>
      {head}: {(items.length + left).toLocaleString('en-US')}
    </summary>
    <ul>
      {items.map((text, index) => (
        <li key={index}>
          <Words text={withMinus(text)} whole />
        </li>
      ))}
      {left === 0 ? null : <li class="of">… {left.toLocaleString('en-US')} more</li>}
    </ul>
  </details>
);

function Rows({ table: { heads, rows, numbers }, name }: Readonly<{ table: TextTable; name: string }>) {
  const columns = heads.map((title, column) => ({
    title: title || 'Name',
    isNumber: numbers.includes(column),
  }));
  const keyed = rows.map((cells, index) => ({
    key: `${index} ${cells[0] ?? ''}`,
    cells: cells.map((cell) => <Words text={withMinus(cell)} />),
  }));
  return <Table name={name} columns={columns} rows={keyed} empty="" />;
}
