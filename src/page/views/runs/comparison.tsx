import type { ComparedRun, RunComparison } from '../../../ops/past/runs.ts';
import {
  comparisonParts,
  isOneRun,
  markIn,
  type ComparisonPart,
  type TextBlock,
} from '../../../report/comparisonText.ts';
import type { Connection } from '../../connection/connection.ts';
import { Figures } from '../../parts/figures.tsx';
import { Problem } from '../../parts/problem.tsx';
import { useReading } from '../../parts/reading.ts';
import { Table } from '../../parts/table.tsx';
import { newYorkMinute } from '../../parts/times.ts';
import { Words } from '../../parts/words.tsx';
import { hashOf } from '../../place.ts';
import { comparedFigures, comparedOf } from './comparedFigures.ts';
import { nameOf } from './rows.ts';

/** Least time in ms between two reads of runs that go on. */
const AGAIN_MS = 60_000;

type ComparisonProps = Readonly<{ daemon: Connection; base: string; a: string; b: string }>;

/** Two runs side by side: equities, and all that `drover compare` says. */
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
        <a href={hashOf({ base, view: 'runs', query: new Map([['a', a]]) })}>Another one beside A</a>
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
          />
        </dd>
      )}
    </div>
  );
}

function Compared({ comparison }: Readonly<{ comparison: RunComparison }>) {
  const { a, b, same } = comparison;
  const parts = comparisonParts(comparison, {
    names: ['A', 'B'],
    mark: markIn(a, b),
    timeOf: newYorkMinute,
    listedBy: 'GET /v1/compare',
  });
  return (
    <>
      {same ? (
        <p class="first">
          {isOneRun(comparison)
            ? 'A and B are the same run.'
            : 'A and B are the same run, measured in two ways.'}
        </p>
      ) : null}
      {a.marks.length + b.marks.length === 0 ? (
        <p class="none">No session has closed in either run.</p>
      ) : (
        <Figures figures={comparedFigures(comparison)} id="equity" sessions={comparedOf(comparison).dates} />
      )}
      {isOneRun(comparison) ? null : parts.map((part) => <Part key={part.title} part={part} />)}
    </>
  );
}

/** Part of the comparison, under its title with a capital letter. */
const Part = ({ part: { title, blocks } }: Readonly<{ part: ComparisonPart }>) => (
  <>
    <h2>{title.charAt(0).toUpperCase() + title.slice(1)}</h2>
    {blocks.map((block, index) => (
      <Block key={index} block={block} name={title} />
    ))}
  </>
);

function Block({ block, name }: Readonly<{ block: TextBlock; name: string }>) {
  if (typeof block === 'string')
    return (
      <p class="line-of">
        <Words text={block} whole />
      </p>
    );
  const columns = block.heads.map((title, column) => ({ title, isNumber: block.numbers.includes(column) }));
  const rows = block.rows.map((cells, index) => ({
    key: `${index} ${cells[0] ?? ''}`,
    cells: cells.map((cell) => <Words text={cell} />),
  }));
  return <Table name={name} columns={columns} rows={rows} empty="" />;
}
