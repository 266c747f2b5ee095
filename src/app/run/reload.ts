import { isDeepStrictEqual } from 'node:util';
import { formatDecimal } from '../../core/amount.ts';
import { ConfigError, orAt } from '../../core/errors.ts';
import type { Reload } from '../../domain/operator/command.ts';
import type { SettingChange, Settings } from '../../domain/operator/settings.ts';
import { fillBandOf } from '../../domain/orders/settlementRules.ts';
import { JUMP_PERCENT } from '../../engine/state/market.ts';
import { missingLimits, missingText, type LoadedConfig } from '../config/load.ts';
import type { RunConfig } from '../config/schema.ts';
import { exceptionsOf } from '../config/fields.ts';
import { externalRulesOf } from '../config/sections.ts';
import { toJson } from '../../process/output.ts';
import { rulesOf } from '../environment/plan.ts';

type ReloadOptions = Pick<Reload, 'dryRun' | 'yes'>;

/** Rereads the config file of a run, and determines which changes apply while the run lasts. */
export class ConfigReload {
  readonly #read: () => LoadedConfig;
  #config: RunConfig;

  /** `read` reads the file with the flags of the run. */
  constructor(loaded: LoadedConfig, read: () => LoadedConfig) {
    this.#config = loaded.config;
    this.#read = read;
  }

  /** True while manual orders and transfers are allowed over TCP. */
  get allowsMoney(): boolean {
    return this.#config.control.money;
  }

  /** Changes from the settings in force; `apply` records that they are applied. A file with a mistake changes nothing. */
  prepare({ dryRun = false, yes = false }: ReloadOptions): Readonly<{ reload: Reload; apply: () => void }> {
    const given = { changes: {}, dryRun, yes };
    const config = this.#file();
    if (typeof config === 'string')
      return unapplied({ ...given, refusal: { because: 'usage', text: config } });
    const missing = config.mode === 'live' ? missingLimits(config) : [];
    if (missing.length > 0)
      return unapplied({
        ...given,
        refusal: { because: 'safety', text: `${missingText(missing)}. Nothing was changed: set them` },
      });
    const found = differencesIn(this.#config, config);
    const changes = Object.fromEntries(found.filter(({ path }) => mayApply(path)).map(changeOf));
    const needsRestart = found.filter(({ path }) => !mayApply(path)).map(({ path }) => path.join('.'));
    const reload = { ...given, changes, needsRestart };
    const isStrict = config.mode === 'live' && !yes && !dryRun;
    const looser = isStrict ? found.filter((one) => loosens(one, this.#config)) : [];
    if (looser.length > 0)
      return unapplied({ ...reload, refusal: { because: 'safety', text: looserText(looser) } });
    if (dryRun || Object.keys(changes).length === 0) return unapplied(reload);
    const applied = withSettings(this.#config, config);
    const settings = { before: settingsOf(this.#config), settings: settingsOf(applied) };
    return { reload: { ...reload, ...settings }, apply: () => void (this.#config = applied) };
  }

  #file(): RunConfig | string {
    return orAt(
      ConfigError,
      () => this.#read().config,
      ({ message }) => `the config was not applied, nothing was changed: ${message}`,
    );
  }
}

const unapplied = (reload: Reload) => ({ reload, apply: () => undefined });

type Path = readonly string[];
/** A value that changed; undefined if absent. */
type Difference = Readonly<{ path: Path; from: unknown; to: unknown }>;

/** Changed values, each with its path. Strategies are identified by their ids. */
function differencesIn(from: unknown, to: unknown, path: Path = []): Difference[] {
  if (isDeepStrictEqual(from, to)) return [];
  const [before, after] = [fieldsOf(from), fieldsOf(to)];
  if (!before || !after) return [{ path, from, to }];
  const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...keys].flatMap((key) => {
    const isLimits = key === 'limits' || key === 'polling';
    const empty = isLimits ? {} : undefined;
    return differencesIn(before[key] ?? empty, after[key] ?? empty, [...path, key]);
  });
}

type Fields = Readonly<Record<string, unknown>>;

function fieldsOf(value: unknown): Fields | null {
  if (typeof value !== 'object' || value === null) return null;
  if (!Array.isArray(value)) return value as Fields;
  const items: readonly unknown[] = value;
  const named = items.map((item) => [fieldsOf(item)?.['id'], item] as const);
  return named.every(([id]) => typeof id === 'string') ? (Object.fromEntries(named) as Fields) : null;
}

/**
 * True for a setting that can change while the run lasts: limits of the run and its strategies, polling periods, the calendar,
 * rules for external changes, and manual orders over TCP.
 */
function mayApply([section, ...rest]: Path): boolean {
  if (section === 'polling' || section === 'external' || section === 'calendar') return true;
  if (section === 'control') return rest[0] === 'money';
  if (section === 'limits') return rest[0] !== 'killFile';
  return section === 'strategies' && rest[1] === 'limits';
}

const changeOf = ({ path, from, to }: Difference): [string, SettingChange] => [
  path.join('.'),
  { from: shown(from), to: shown(to) },
];

function shown(value: unknown): string {
  if (value === undefined) return 'not set';
  if (typeof value === 'bigint') return formatDecimal(value);
  return typeof value === 'string' ? value : toJson(value);
}

/** True for a change that permits more than before. */
function loosens({ path, from, to }: Difference, config: RunConfig): boolean {
  const name = path.at(-1);
  if (!mayApply(path) || path[0] === 'polling' || name === 'onKill') return false;
  if (name === 'limitPolicy' || name === 'action') return to === 'reduce';
  if (path[0] === 'external') return to !== 'alarm';
  if (path[0] === 'calendar') return reopens(from, to);
  if (path[0] === 'control') return to === true;
  // Limits outside the session replace the regular ones, whichever are looser.
  if (from === undefined) return path.includes('outside') || Number(to) > Number(defaultOf(path, config));
  // A shorter pause permits more.
  if (name === 'minutes' || name === 'pause') return !(Number(to) > Number(from));
  if (Array.isArray(from)) return !Array.isArray(to) || from.some((symbol) => !to.includes(symbol));
  return to === undefined || Number(to) > Number(from);
}

/** Effective value of a limit that the config omits; undefined for one that does not bind then. */
function defaultOf(path: Path, config: RunConfig): bigint | number | undefined {
  const rules = rulesOf(config);
  const own = path[0] === 'strategies' ? rules.ownLimits.get(path[1] ?? '') : rules.limits;
  switch (path.at(-1)) {
    case 'jumpPercent':
      return JUMP_PERCENT;
    case 'fillBandBps':
      return fillBandOf(rules);
    case 'stateAgeMs':
      return rules.stateAgeMs;
    case 'doubt':
      return own?.positionNotional;
    default:
      return undefined;
  }
}

const overridesIn = (value: unknown): readonly CalendarOverride[] =>
  Array.isArray(value) ? (value as readonly CalendarOverride[]) : [];

/** True if a day that was closed or short no longer is. */
const reopens = (from: unknown, to: unknown): boolean =>
  overridesIn(from).some((before) => {
    const after = overridesIn(to).find(({ date }) => date === before.date);
    return !(after && (after.closed === true || isDeepStrictEqual(after, before)));
  });

type CalendarOverride = Readonly<{ date: string; closed?: true }>;

const looserText = (looser: readonly Difference[]): string =>
  `nothing was changed: ${looser
    .map(changeOf)
    .map(([path, { from, to }]) => `${path} ${from} → ${to}`)
    .join(', ')} ` + 'permits more than before. Repeat with --yes to allow that';

/** The run's config with the changeable settings of another one. */
const withSettings = (own: RunConfig, file: RunConfig): RunConfig => ({
  ...own,
  limits: { ...file.limits, killFile: own.limits.killFile },
  polling: file.polling,
  external: file.external,
  calendar: file.calendar,
  control: { ...own.control, money: file.control.money },
  strategies: own.strategies.map((strategy) => {
    const found = file.strategies.find(({ id }) => id === strategy.id);
    return found ? { ...strategy, limits: found.limits } : strategy;
  }),
});

function settingsOf(config: RunConfig): Settings {
  const { limits, ownLimits, stateAgeMs, onKill } = rulesOf(config);
  return {
    limits,
    ownLimits: Object.fromEntries(ownLimits),
    ...(stateAgeMs === undefined ? {} : { stateAgeMs }),
    ...(onKill === undefined ? {} : { onKill }),
    polling: config.polling,
    external: externalRulesOf(config),
    calendar: exceptionsOf(config),
  };
}
