import type { BacktestOptions } from '../../backtest/options.ts';
import { ConfigError, messageOf } from '../../core/errors.ts';
import { constraintOf, type Constraint } from '../../lab/search/constraint.ts';
import { objectivesOf, requireFew, type Objective } from '../../lab/search/objective.ts';
import { METHODS, samplerOf, trialsOf, type Method, type SamplerOptions } from '../../lab/search/sampler.ts';
import {
  sizeOf,
  spaceOf,
  spaceOfSchema,
  valueAt,
  valueFrom,
  isUnordered,
  type ParamSet,
  type ParamsSchema,
  type SchemaSpace,
  type Space,
} from '../../lab/search/space.ts';
import type { Span } from '../../lab/trials/trial.ts';
import { dataOf, optionsOf, type BacktestFlags } from '../backtest/flags.ts';
import { outsideOf, phaseWarning, premiumWarning } from '../backtest/outside.ts';
import type { Secrets } from '../../core/secrets.ts';
import type { CommandContext } from '../../process/context.ts';
import { jsonSchemaOf, problemsOf } from '../config/problems.ts';
import type { Bundle } from '../strategies/bundleStrategy.ts';
import { bundleOfFlag, isCodeFile } from '../strategies/fillModel.ts';
import type { OptimiseBarsOptions } from '../../lab/optimiseBars.ts';
import { workersOf, type QueueFlags } from './queueAddress.ts';
import { searchedStrategy, type SearchedStrategy } from './searchedStrategy.ts';
import { withSharedBars, type TrialRecipe } from './trialRecipe.ts';
import type { WalkForwardOptions } from '../../lab/optimise.ts';

export type OptimiseFlags = BacktestFlags &
  QueueFlags &
  Pick<
    OptimiseBarsOptions,
    'objective' | 'walkForward' | 'anchored' | 'embargo' | 'stopEarly' | 'study' | 'resume'
  > &
  Readonly<{
    of?: string;
    space?: string;
    constraint?: string;
    method?: string;
    workers?: number;
    memory?: number;
  }>;

/** A study as described on its command line, validated. */
export type StudySetup = Readonly<{
  recipe: TrialRecipe;
  sampling: SamplerOptions;
  /** Parameters without bounds, which are not part of the search space. */
  left: readonly Readonly<{ name: string; why: string }>[];
  span: Span;
  walkForward: WalkForwardOptions | null;
  workers: number;
}>;

/** Default number of trials for a method that does not end by itself. */
const TRIALS = 100;
/** Largest grid for which grid search is the default method. */
const GRID_DEFAULT = 2_000;

/** @throws {ConfigError} with the flag, or the place in a file, of any invalid input */
export async function studySetup(flags: OptimiseFlags, context: CommandContext): Promise<StudySetup> {
  const searched = await searchedStrategy(flags, context);
  const schema = jsonSchemaOf(searched.definition.params) as ParamsSchema;
  const { space, left } = givenSpace(flags, schema);
  const accepts = acceptance(flags.constraint, { searched, schema });
  const sampling = samplingOf(flags, space, accepts);
  const { functions, objectives } = await objectivesFrom(flags, context);
  const { trials: _trials, ...own } = flags;
  const { from, to, ...options } = optionsOf(own);
  const { settings, calendar } = searched;
  const given = { ...settings, ...options, ...outsideOf(flags, settings.outside), calendar };
  const strategies = samplesOf(searched, sampling, context.secrets);
  const data = await dataOf(own, { ...given, strategies }, context);
  const { calendar: _calendar, ...plain } = { ...given, ...data };
  for (const warning of [phaseWarning({ ...plain, strategies }), premiumWarning({ ...plain, strategies })])
    if (warning !== null) context.terminal.err(`drover: ${warning}`);
  const walkForward = walkForwardOf(flags);
  const { id, bundle, params, series, capital, limits, rest, trade } = searched;
  const recipe: TrialRecipe = {
    options: withSharedBars(plain),
    exceptions: searched.exceptions,
    strategy: {
      id,
      bundle,
      params,
      series,
      ...(capital !== undefined && { capital }),
      ...(limits && { limits }),
      ...(rest && { rest }),
      ...(trade && { trade }),
    },
    objectives,
    functions,
    ...(flags.fill !== undefined &&
      isCodeFile(flags.fill) && { fill: await bundleOfFlag(flags.fill, context, flags.queuePassword) }),
  };
  return {
    recipe,
    sampling,
    left,
    span: { from: from ?? -Infinity, to: to ?? Infinity },
    walkForward,
    workers: workersOf(flags.workers),
  };
}

const givenSpace = ({ space: text }: OptimiseFlags, schema: ParamsSchema): SchemaSpace =>
  text === undefined ? spaceOfSchema(schema) : { space: spaceOf(parsed(text), schema), left: [] };

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new ConfigError(
      `--space: ${messageOf(cause)}. Put names in double quotes, and everything in single quotes: --space '{"fast":[5,10,20]}'`,
      {},
      { cause },
    );
  }
}

/** True for sets that satisfy the constraint and the strategy's own schema: rules like `fast < slow` are not repeated. */
function acceptance(
  text: string | undefined,
  { searched, schema }: Readonly<{ searched: SearchedStrategy; schema: ParamsSchema }>,
): Constraint {
  const own: Constraint =
    text === undefined ? () => true : constraintOf(text, Object.keys(schema.properties ?? {}));
  const { definition, params } = searched;
  const all = (set: ParamSet) => ({ ...params, ...set });
  return (set) => {
    const fit = definition.params.safeParse(all(set));
    return fit.success && own({ ...(fit.data as ParamSet), ...set });
  };
}

function samplingOf(flags: OptimiseFlags, space: Space, accepts: Constraint): SamplerOptions {
  const { seed = 0 } = flags;
  const method = methodOf(flags.method, space);
  const trials = flags.trials === undefined ? TRIALS : Number(flags.trials);
  if (!Number.isInteger(trials) || trials < 1)
    throw new ConfigError(`--trials ${flags.trials}: write a whole number, 1 or more`);
  if (
    method === 'grid' &&
    flags.trials !== undefined &&
    trialsOf({ space, method, trials, seed, accepts }) > trials
  )
    throw new ConfigError(
      `--trials ${trials}: a grid tries all of its ${trialsOf({ space, method, trials, seed, accepts })} sets. Leave --trials out, or use --method sobol, random or tpe`,
    );
  return { space, method, trials, seed, accepts };
}

function methodOf(text: string | undefined, space: Space): Method {
  if (text === undefined) return sizeOf(space) <= GRID_DEFAULT ? 'grid' : 'tpe';
  const method = METHODS.find((known) => known === text);
  if (method) return method;
  throw new ConfigError(`--method "${text}": there is ${METHODS.join(', ')}`);
}

async function objectivesFrom(
  { objective: text = 'sharpe', queuePassword }: OptimiseFlags,
  context: CommandContext,
): Promise<Readonly<{ objectives: readonly Objective[]; functions: Record<string, Bundle> }>> {
  const functions: Record<string, Bundle> = {};
  const objectives: Objective[] = [];
  for (const part of text.split(',').map((name) => name.trim())) {
    if (!isCodeFile(part)) objectives.push(...objectivesOf(part));
    else {
      functions[part] = await bundleOfFlag(part, context, queuePassword);
      objectives.push({ name: part, isLessBetter: false, metric: null });
    }
  }
  return { objectives: requireFew(objectives), functions };
}

/**
 * Strategies whose data the study needs: one for the first set tried, and one for each value of listed texts, which may change
 * the data requested.
 */
function samplesOf(
  { definition, id, params, series, trade }: SearchedStrategy,
  sampling: SamplerOptions,
  secrets: Secrets,
): NonNullable<BacktestOptions['strategies']> {
  const [first] = samplerOf(sampling).next([]);
  if (!first) {
    const set = Object.fromEntries(
      sampling.space.map((dimension) => [dimension.name, valueFrom(dimension, 0)]),
    );
    const [schema, value] = [definition.params, { ...params, ...set }];
    const { error } = schema.safeParse(value);
    const [misfit] = error ? problemsOf(error.issues, { schema, value, secrets }) : [];
    const name = misfit?.path.join('.') ?? '';
    const isNamed = misfit?.problem.startsWith(`${name} `) === true;
    const why = misfit ? `${isNamed ? '' : `${name} `}${misfit.problem}` : '--constraint is not met';
    throw new ConfigError(
      `no set of the space fits the constraint and the parameters of the strategy. For example ${JSON.stringify(set)}: ${why}. ` +
        'Widen the space, or loosen the constraint',
    );
  }
  const others = sampling.space.flatMap((dimension) =>
    dimension.kind === 'choice' && isUnordered(dimension)
      ? dimension.values
          .map((_, index) => ({ ...first, [dimension.name]: valueAt(dimension, index) }))
          .filter(sampling.accepts)
      : [],
  );
  const samples = others.length === 0 ? [first] : others;
  return samples.map((set, index) => ({
    definition,
    id: samples.length === 1 ? id : `${id} ${index}`,
    params: { ...params, ...set },
    series,
    ...(trade && { trade }),
  }));
}

function walkForwardOf({
  walkForward,
  anchored = false,
  embargo = 0,
}: OptimiseFlags): WalkForwardOptions | null {
  if (walkForward !== undefined) return { text: walkForward, isAnchored: anchored, embargo };
  if (anchored || embargo > 0)
    throw new ConfigError('--anchored and --embargo belong to --walk-forward, such as 12m/3m');
  return null;
}
