import { tradesOutside } from './stocks.ts';
import { readFileSync, statSync, existsSync } from 'node:fs';
import { dirname, isAbsolute, resolve, relative } from 'node:path';
import { ConfigError, SafetyError } from '../../core/errors.ts';
import type { Secrets } from '../../core/secrets.ts';
import { crossProblems } from './crossProblems.ts';
import { readDocument, type ConfigDocument } from './text/document.ts';
import { isOverride } from './text/expansion.ts';
import { isTree, valueAt } from '../../core/nesting.ts';
import { overridesIn, plainValue } from './text/variables.ts';
import { likelySecretsIn } from './likelySecrets.ts';
import {
  configError,
  jsonSchemaOf,
  pathText,
  type Path,
  type PlacedProblem,
  type Problem,
  problemsOf,
} from './problems.ts';
import { unreadableFile, PACKAGE_FOLDER } from '../../process/files.ts';
import { configSchema, type RunConfig, type VenueConfig, type LimitsConfig } from './schema.ts';
import type { CommandContext } from '../../process/context.ts';
import { registerEnvironment, type Environment } from '../../process/environment.ts';
import { tradingCalendar, type TradingCalendar } from '../../calendar/index.ts';
import { calendarOf } from './fields.ts';

/** A value from the command line or the environment that overrides the file's. `flag` names its source. */
export type Override = Readonly<{ path: Path; value: unknown; flag: string }>;

type ConfigSource = Readonly<{
  /** Name as the user gave it, for messages. */
  file: string;
  /** Folder from which relative paths of the command line are resolved. */
  cwd: string;
  secrets: Secrets;
  /** Further files; their values replace those of earlier files. */
  layers?: readonly string[] | undefined;
  /** Variables that the files may reference, and those that override values. Default: none. */
  env?: Environment;
  overrides?: readonly Override[];
}>;

/** A checked config with the position of each value. */
export type LoadedConfig = Readonly<{
  config: RunConfig;
  /** Name as the user gave it. */
  file: string;
  /** Absolute folder of the file, from which relative paths and packages are resolved. */
  folder: string;
  /** Values of file and flags, before defaults are filled in and amounts and paths are parsed. */
  written: unknown;
  /** `file:line:column` of a value, or the flag it came from. */
  positionOf: (path: Path) => string;
  /** Origin of a value: `file:line`, a flag or `default`. */
  originOf: (path: Path) => string;
  /** Adds the position to a problem. */
  place: (problem: Problem) => PlacedProblem;
  /** Masks known secrets, before a value is cut for display. */
  secrets: Secrets;
}>;

/**
 * Reads and checks a config file.
 * @throws {ConfigError} listing all problems, one a line: `file:line:column: path: problem. remedy`
 */
export function loadConfig(source: ConfigSource): LoadedConfig {
  return parseConfig(readText(source.file, source), source);
}

/** Inherited descriptors, including redirected files: they have no folder. */
const STREAM = /^\/(dev\/(stdin|fd\/)|proc\/)/;

function readText(file: string, { cwd }: Pick<ConfigSource, 'cwd'>): string {
  const path = resolve(cwd, file);
  try {
    const stats = STREAM.test(path) ? null : statSync(path);
    if (stats?.isFile() || stats?.isDirectory()) return readFileSync(path, 'utf8');
  } catch (cause) {
    throw unreadableFile(file, cause, 'Name a config file, such as config/emulator.yaml');
  }
  throw new ConfigError(
    `${file}: is not a regular file. A config is read more than once, and relative paths in it start at its folder: save it as a file, ` +
      'and name that',
    { file },
  );
}

/** `loadConfig` with the text of its first file already read. */
export function parseConfig(text: string, source: ConfigSource): LoadedConfig {
  const { secrets, file, cwd, env = {}, layers = [] } = source;
  const read = (each: string, of: string) => readDocument(of, { file: each, secrets, env });
  const document = layered([read(file, text), ...layers.map((each) => read(each, readText(each, source)))]);
  const fromEnvironment = environmentOverrides(document.value, source);
  const overrides = [...fromEnvironment.overrides, ...(source.overrides ?? [])];
  const written = withOverrides(document.value, overrides);
  const place = placer(document, overrides);
  const parsed = configSchema.safeParse(written ?? {});
  const problems = [...document.problems, ...fromEnvironment.problems];
  // Messages quote keys and values, so everything in a refused file that could be a secret is masked.
  if (!parsed.success) likelySecretsIn(written).forEach((secret) => secrets.register(secret));
  if (document.value !== undefined) {
    const checked = [
      ...problemsOf(parsed.error?.issues ?? [], { schema: configSchema, value: written, secrets }),
      ...crossProblems(written),
    ];
    problems.push(...withoutRepeats(checked, document.problems).map(place));
  }
  if (problems.length > 0 || !parsed.success) throw configError(problems, (shown) => secrets.redact(shown));
  const where = (path: Path) => place({ path, problem: '' });
  const folderOf = (path: Path) =>
    overrideOf(overrides, path) ? cwd : dirname(resolve(cwd, document.fileOf(path)));
  return {
    config: withAbsolutePaths(parsed.data, folderOf),
    file,
    folder: dirname(resolve(cwd, file)),
    written,
    place,
    secrets,
    positionOf: (path) => where(path).where,
    originOf: (path) => {
      const { where: found, position } = where(path);
      if (!position) return found;
      return document.has(path) ? `${document.fileOf(path)}:${position.line}` : 'default';
    },
  };
}

/** Config files merged into one: mappings are merged, everything else is replaced by the value of a later file. */
export type LayeredDocument = Omit<ConfigDocument, 'file'> &
  /** Name, as given by the user, of the file that sets `path`. */
  Readonly<{ fileOf: (path: Path) => string }>;

/** @param documents at least one; later ones override earlier ones */
export function layered(documents: readonly [ConfigDocument, ...ConfigDocument[]]): LayeredDocument {
  const [first] = documents;
  // A file of only comments sets nothing.
  const layers = documents.filter(({ value }) => value !== null);
  const ownerOf = (path: Path) => layers.findLast((each) => each.has(path) || cuts(each, path)) ?? first;
  const isUnreadable = documents.some(({ value }) => value === undefined);
  return {
    value: isUnreadable ? undefined : layers.map(({ value }) => value).reduce(merged, null),
    problems: documents.flatMap(({ problems }) => problems),
    place: (problem) => ownerOf(problem.path).place(problem),
    has: (path) => ownerOf(path).has(path),
    fileOf: (path) => ownerOf(path).file,
  };
}

/** True for a file with a list or plain value at a parent of `path`: it replaces everything that earlier files have below. */
const cuts = ({ has, value }: ConfigDocument, path: Path): boolean =>
  path.some((_, length) => has(path.slice(0, length)) && !isTree(valueAt(value, path.slice(0, length))));

const merged = (below: unknown, above: unknown): unknown =>
  isTree(below) && isTree(above)
    ? Object.fromEntries(
        [...new Set([...Object.keys(below), ...Object.keys(above)])].map((key) => [
          key,
          Object.hasOwn(above, key) ? merged(below[key], above[key]) : below[key],
        ]),
      )
    : above;

/** Values set by environment variables, as they would be in a file, with their problems and the secrets among them. */
function environmentOverrides(
  written: unknown,
  { env = {}, secrets }: ConfigSource,
): Readonly<{ overrides: readonly Override[]; problems: readonly PlacedProblem[] }> {
  if (written === undefined || !Object.keys(env).some(isOverride)) return { overrides: [], problems: [] };
  const found = overridesIn(env, { schema: jsonSchemaOf(configSchema), written, secrets });
  const problems = [...found.problems];
  const overrides = found.overrides.map(({ path, name, text }) => {
    const flag = `env ${name}`;
    const isYaml = /^\s*[[{"']/.test(text);
    const read = readDocument(isYaml ? text : JSON.stringify(text), { file: flag, secrets, env: {} });
    problems.push(
      ...read.problems.map(({ problem, remedy = '' }) => ({ path, problem, remedy, where: flag })),
    );
    return { path, flag, value: isYaml ? read.value : plainValue(text) };
  });
  return { overrides, problems };
}

/** Drops schema problems at places where the text itself already has one. */
const withoutRepeats = (checked: readonly Problem[], known: readonly Problem[]): readonly Problem[] => {
  const paths = new Set(known.map(({ path }) => pathText(path)));
  return checked.filter(({ path }) => !paths.has(pathText(path)));
};

/** The last override of a value, or of a section that contains it. */
const overrideOf = (overrides: readonly Override[], path: Path): Override | undefined =>
  overrides.findLast((one) => one.path.every((part, index) => path[index] === part));

function placer(
  document: LayeredDocument,
  overrides: readonly Override[],
): (problem: Problem) => PlacedProblem {
  return (problem) => {
    const flag = overrideOf(overrides, problem.path);
    return flag ? { ...problem, where: flag.flag } : document.place(problem);
  };
}

function withOverrides(value: unknown, overrides: readonly Override[]): unknown {
  return overrides.reduce<unknown>((tree, { path, value: given }) => withValue(tree, path, given), value);
}

function withValue(value: unknown, [part, ...rest]: Path, given: unknown): unknown {
  if (part === undefined) return given;
  if (Array.isArray(value))
    return value.map((item: unknown, index) => (index === part ? withValue(item, rest, given) : item));
  if (value !== undefined && value !== null && !isTree(value)) return value;
  return { ...value, [part]: withValue(value?.[part], rest, given) };
}

/** Makes paths absolute: those in a file from its folder, those in flags and variables from the working directory. */
const withAbsolutePaths = (config: RunConfig, folderOf: (path: Path) => string): RunConfig =>
  pathsIn(config).reduce((all, path) => {
    const named = valueAt(config, path);
    return typeof named === 'string'
      ? (withValue(all, path, resolve(folderOf(path), named)) as RunConfig)
      : all;
  }, config);

/** Places of the values that are paths, set or not. */
const pathsIn = ({ notify, strategies }: RunConfig): readonly Path[] => [
  ['state'],
  ...['keyFile', 'secretFile', 'walletKeyFile'].map((key) => ['venue', key]),
  ['data', 'dir'],
  ['limits', 'killFile'],
  ['control', 'runs'],
  ['control', 'tokens'],
  ['log', 'file'],
  ...notify.channels.map((_, index) => ['notify', 'channels', index, 'addressFile']),
  ['notify', 'heartbeat', 'addressFile'],
  ...strategies.flatMap(({ use, series = {} }, index) => [
    ...(isPath(use) ? [['strategies', index, 'use']] : []),
    ...Object.keys(series).map((name) => ['strategies', index, 'series', name]),
  ]),
];

const isPath = (use: string): boolean => isAbsolute(use) || /^\.{1,2}[\\/]/.test(use);

/** The config's venue section. @throws {ConfigError} if it is missing */
export function venueOf({ config, file }: LoadedConfig): VenueConfig {
  if (config.venue) return config.venue;
  throw new ConfigError(
    `${file} has no venue. Add a venue section, or pass --config with a file that has one; ` +
      'config/live.example.yaml shows how, and `drover emulator` prints one to try it with',
    { file },
  );
}

const DEFAULT_FILE = 'config/emulator.yaml';
const BUNDLED_FILE = resolve(PACKAGE_FOLDER, DEFAULT_FILE);

/** The config named on the command line, or config/emulator.yaml: the user's own, otherwise the bundled one. */
export function configFileOf({ configFile, cwd }: CommandContext): string {
  if (configFile !== undefined) return configFile;
  return existsSync(resolve(cwd, DEFAULT_FILE)) ? DEFAULT_FILE : relative(cwd, BUNDLED_FILE);
}

/** Override by `--state DIR`, if given. */
export const stateOverride = ({ state }: Readonly<{ state?: string }>): Override[] =>
  state === undefined ? [] : [{ path: ['state'], value: state, flag: '--state' }];

/** Reads the config of a command; secrets from the environment are masked from then on. @throws {ConfigError} */
export function configOf(context: CommandContext, overrides: readonly Override[] = []): LoadedConfig {
  const { cwd, secrets, env, configLayers: layers } = context;
  registerEnvironment(context);
  return loadConfig({ file: configFileOf(context), layers, cwd, secrets, env, overrides });
}

/**
 * The calendar for a command that needs no config: with the closures and hours of the one given by `--config`.
 * @throws {ConfigError} when that config is invalid
 */
export const givenCalendar = (context: CommandContext): TradingCalendar =>
  context.configFile === undefined ? tradingCalendar : calendarOf(configOf(context).config);

/** Limits that live trading requires. */
const LIVE_LIMITS = [
  'orderNotional',
  'positionNotional',
  'grossExposure',
  'ordersPerMinute',
  'dayLoss',
  'priceBandBps',
  'quoteAgeMs',
] as const satisfies readonly (keyof LimitsConfig)[];

/** Limits also required outside the regular session, if those phases are traded. */
const LIVE_OUTSIDE = ['orderNotional', 'positionNotional', 'grossExposure'] as const;

export const missingLimits = ({
  limits,
  ...config
}: Pick<RunConfig, 'limits' | 'trade' | 'strategies'>): readonly string[] => [
  ...LIVE_LIMITS.filter((name) => limits[name] === undefined),
  ...(tradesOutside(config)
    ? LIVE_OUTSIDE.flatMap((name) => (limits.outside?.[name] === undefined ? [`outside.${name}`] : []))
    : []),
];

/** `live trading needs every limit, and limits.dayLoss is not set`. */
export const missingText = (missing: readonly string[]): string =>
  `live trading needs every limit, and limits.${missing.join(', limits.')} ${missing.length === 1 ? 'is' : 'are'} not set`;

/**
 * Requires what a run needs beyond a valid file: limits in live mode, an account in dry-run, a state folder in both.
 * @throws {ConfigError} without a state folder or an account
 * @throws {SafetyError} when live trading would have no limits
 */
export function requireRunnable({ config, file }: LoadedConfig): void {
  const missing = missingLimits(config);
  if (config.mode === 'live' && missing.length > 0)
    throw new SafetyError(`${file}: ${missingText(missing)}. Set them; config/live.example.yaml shows all`, {
      missing,
    });
  if (config.mode !== 'emulator' && config.state === undefined)
    throw new ConfigError(
      `${file}: mode ${config.mode} needs a folder that keeps orders and positions across restarts. ` +
        'Set state: in the file, or pass --state DIR',
      { file },
    );
  if (config.mode === 'dry-run' && config.dryRun === undefined)
    throw new ConfigError(
      `${file}: the simulated account of a dry run needs opening cash. ` +
        "Add dryRun: { cash: '100000' }; config/dry-run.yaml shows how",
      { file },
    );
}
