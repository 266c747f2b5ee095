import { expect, test } from 'vitest';
import { objectivesOf, scoreOf } from '../../../src/lab/search/objective.ts';
import { metricsOf, type MetricName } from '../../../src/statistics/metrics.ts';
import { equitiesOf, figuresOf } from '../../statistics/figures.ts';

test.each<MetricName>([
  'valueAtRisk5',
  'valueAtRisk1',
  'parametricValueAtRisk5',
  'parametricValueAtRisk1',
  'conditionalValueAtRisk5',
  'conditionalValueAtRisk1',
  'volatility',
  'maxDrawdown',
  'maxDrawdownCash',
  'averageDrawdown',
  'ulcerIndex',
])('a search by %s prefers smaller losses', (name) => {
  const scoreAt = (size: number) => {
    const returns = Array.from({ length: 60 }, (_, at) => size * Math.sin(at * at));
    const [objective] = objectivesOf(name);
    return objective
      ? (scoreOf(objective, metricsOf(figuresOf(equitiesOf(returns))).metrics[name]) ?? NaN)
      : NaN;
  };
  expect(scoreAt(0.01)).toBeGreaterThan(scoreAt(0.02));
});
