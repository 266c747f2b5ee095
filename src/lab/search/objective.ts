import { ConfigError } from '../../core/errors.ts';
import { suggest } from '../../core/suggest.ts';
import { METRIC_TABLE } from '../../statistics/metricTable.ts';
import type { MetricName } from '../../statistics/metrics.ts';

/** Goal of a search: a metric to maximise or minimise, or a user's function. */
export type Objective = Readonly<{ name: string; isLessBetter: boolean; metric: MetricName | null }>;

/** Maximum number of objectives of one search: with more, nearly every trial is on the front. */
const OBJECTIVES_MAX = 4;

/**
 * Parses objectives: `sharpe`, or several as `sharpe,maxDrawdown`. `min:beta` and `max:fees` override a metric's usual
 * direction. @throws {ConfigError} for a name that is not a metric
 */
export function objectivesOf(text: string): readonly Objective[] {
  return requireFew(text.split(',').map((part) => objectiveOf(part.trim())));
}

/** Objectives of one search. @throws {ConfigError} for too many, and for two of one name */
export function requireFew(objectives: readonly Objective[]): readonly Objective[] {
  if (objectives.length > OBJECTIVES_MAX)
    throw new ConfigError(`--objective: ${objectives.length} objectives; give at most ${OBJECTIVES_MAX}`);
  const names = objectives.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw new ConfigError(`--objective: ${twice} is named twice`);
  return objectives;
}

function objectiveOf(text: string): Objective {
  const [, way, name = ''] = /^(?:(min|max):)?(.*)$/.exec(text) ?? [];
  if (!isMetric(name)) {
    const near = suggest(name, Object.keys(METRIC_TABLE));
    const remedy = near === undefined ? 'docs/statistics.md lists them.' : `Did you mean ${near}?`;
    throw new ConfigError(
      `--objective: no metric is called "${name}". ${remedy} A function of your own is a file, such as ./objective.ts`,
    );
  }
  const isLessBetter = way === undefined ? METRIC_TABLE[name].isLessBetter : way === 'min';
  return { name, isLessBetter, metric: name };
}

const isMetric = (name: string): name is MetricName => Object.hasOwn(METRIC_TABLE, name);

/** Score by which trials are compared: higher is better. */
export const scoreOf = ({ isLessBetter }: Objective, value: number | null): number | null =>
  value === null ? null : isLessBetter ? -value : value;
