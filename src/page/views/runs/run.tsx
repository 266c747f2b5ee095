import { counted } from '../../../core/counted.ts';
import { markup, type Markup } from '../../../figures/markup.ts';
import { metricTables } from '../../../report/html/metricTables.ts';
import { monthlyTable, yearlyBars } from '../../../report/html/calendarReturns.ts';
import { drawdownCharts, equityChart } from '../../../report/html/equity.ts';
import { exposureChart } from '../../../report/html/exposure.ts';
import { keyFigures } from '../../../report/html/keyFigures.ts';
import { runViewOf, type RunView } from '../../../report/html/runView.ts';
import { strategyProfits } from '../../../report/html/strategies.ts';
import { TABLES_STYLE } from '../../../report/html/style.ts';
import { setupLines } from '../../../report/setupText.ts';
import type { RunRecord } from '../../../report/runRecord.ts';
import { addStyle } from '../../browser.ts';
import type { Connection } from '../../connection/connection.ts';
import { Figures } from '../../parts/figures.tsx';
import { Problem, Words } from '../../parts/words.tsx';
import { Fact } from '../../parts/fact.tsx';
import { useReading } from '../../parts/reading.ts';
import { hashOf } from '../../place.ts';
import { nameOf } from './rows.ts';

/** Makes tables of a report narrower than those of the page. */
addStyle(`.charts th, .charts td { min-width: 0; max-width: none; padding: 3px 9px; text-align: right; white-space: nowrap; }
.charts > .table-block { min-width: 0; }
${TABLES_STYLE}`);

/** Minimum time in ms between two reads of an active run. */
const AGAIN_MS = 60_000;

/** One run in figures: those at the top of its report, its sessions and months, and all metrics. */
export function RunPage({ daemon, base, id }: Readonly<{ daemon: Connection; base: string; id: string }>) {
  const path = `v1/runs/${encodeURIComponent(id)}`;
  const { value, problem } = useReading<RunRecord>(daemon, path, { againMs: AGAIN_MS });
  return (
    <>
      <h2>
        <Words text={nameOf(id)} />
      </h2>
      <Problem text={problem} />
      {value === null && problem === null ? <p class="none">Reading the record…</p> : null}
      {value === null ? null : <Record record={value} id={id} base={base} />}
    </>
  );
}

function Record({ record, id, base }: Readonly<{ record: RunRecord; id: string; base: string }>) {
  const view = runViewOf(record);
  return (
    <>
      <Identity view={view} />
      <p class="choices">
        <a href={hashOf({ base, view: 'runs', query: new Map([['a', id]]) })}>Compare with another run</a>
      </p>
      <dl class="figures ten">
        {keyFigures(view).map(({ label, text, small }) => (
          <Fact key={label} title={label} of={small === undefined ? null : <Words text={small} />}>
            {text}
          </Fact>
        ))}
      </dl>
      {view.marks.length === 0 ? (
        <p class="none">No session has closed in this run.</p>
      ) : (
        <Figures figures={figuresOf(view)} id="equity" sessions={view.dates} />
      )}
      <h2>Metrics</h2>
      <Figures figures={[markup`<div class="wide">${metricTables(view)}</div>`]} id="metrics" />
    </>
  );
}

/** Kind, days, and the settings that affect the meaning of its figures. */
function Identity({ view: { record, mark } }: Readonly<{ view: RunView }>) {
  const { run } = record;
  const { strategy, params, intervals, settings } = run;
  const lines = setupLines({ strategy, params, intervals, model: settings });
  const texts = [
    `${run.kind}, ${run.from.slice(0, 10)} to ${run.to.slice(0, 10)}: ${counted(run.sessions, mark)}`,
    `${strategy} on ${run.symbols.join(', ')}`,
    `run ${run.runId}`,
  ];
  return (
    <>
      <p class="of">
        <Words text={texts.join(' · ')} whole />
      </p>
      {lines.map(([label, text]) => (
        <p key={text} class="of">
          {label} <Words text={text} />
        </p>
      ))}
    </>
  );
}

/** Equity and drawdown first, then strategies, years, exposure and months. */
function figuresOf(view: RunView): Markup[] {
  const [drawdown, ...deepest] = drawdownCharts(view);
  return [
    equityChart(view),
    ...(drawdown ? [drawdown] : []),
    ...strategyProfits(view),
    yearlyBars(view),
    exposureChart(view),
    monthlyTable(view),
    ...deepest,
  ];
}
