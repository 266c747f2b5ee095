import { missing, NOTHING, type Missing } from '../../statistics/figures.ts';
import { covarianceOf, meanOf } from '../../statistics/moments.ts';
import type { TrialValue } from './plateau.ts';

/** Fraction of the objective's variance that a parameter explains alone, 0 to 1. */
export type ParameterEffects = Readonly<Record<string, number>>;

/** Maximum number of values of a parameter that each form a group; more are grouped by rank. */
const GROUPS_MAX = 8;

/**
 * Sensitivity by parameter: main effects of an analysis of variance, one parameter at a time, as ε² = (SSB − (k −
 * 1)·MSW)/SST, at least 0: the fraction of variance between the k values of a parameter, less the part expected by
 * chance. A numeric parameter with more than eight values is cut into eight rank groups. The remainder up to 1 is
 * interaction and noise (on a grid; parameters drawn together may share what they explain).
 * Source: Kelley, "An unbiased correlation ratio measure", Proceedings of the National Academy of Sciences 21(9), 1935.
 */
export function parameterEffects(trials: readonly TrialValue[]): ParameterEffects | Missing {
  const known = trials.filter(({ value }) => Number.isFinite(value));
  const values = known.map(({ value }) => value);
  const total = covarianceOf(values, values) * (values.length - 1);
  if (!(total > NOTHING)) return missing('the trials do not differ in their result');
  const names = Object.keys(known[0]?.params ?? {});
  return Object.fromEntries(names.map((name) => [name, effectOf(groupsOf(known, name), total)]));
}

function effectOf(groups: readonly (readonly number[])[], total: number): number {
  const within = groups.reduce((sum, group) => sum + squaresOf(group), 0);
  const count = groups.reduce((sum, group) => sum + group.length, 0);
  if (groups.length < 2 || groups.length === count) return 0;
  const chance = ((groups.length - 1) * within) / (count - groups.length);
  return Math.max((total - within - chance) / total, 0);
}

function squaresOf(group: readonly number[]): number {
  const mean = meanOf(group);
  return group.reduce((sum, value) => sum + (value - mean) ** 2, 0);
}

/** Objectives by value of a parameter, or by group of values. */
function groupsOf(trials: readonly TrialValue[], name: string): number[][] {
  const tried = [...new Set(trials.map(({ params }) => params[name]))];
  const isWide = tried.length > GROUPS_MAX && tried.every((value) => typeof value === 'number');
  const ascending = isWide ? tried.map(Number).sort((a, b) => a - b) : [];
  const keys = new Map(
    isWide
      ? ascending.map((value, rank) => [value, Math.floor((rank * GROUPS_MAX) / ascending.length)])
      : tried.map((value, index) => [value, index]),
  );
  const groups: number[][] = [];
  for (const { params, value } of trials) (groups[keys.get(params[name] ?? '') ?? 0] ??= []).push(value);
  return groups;
}
