import { ConfigError } from '../core/errors.ts';
import type { Fact } from '../domain/fact.ts';
import { suggest } from '../core/suggest.ts';

type Kind = Fact['kind'];

/** Each kind of fact, or this does not compile. */
const KINDS: Readonly<Record<Kind, true>> = {
  ...{ epoch: true, ended: true, opened: true, allocated: true, started: true, stopping: true },
  ...{ wished: true, wishMoved: true, wishEnded: true, planned: true, order: true, told: true },
  ...{ strategyState: true, strategyStopped: true, strategyStarted: true },
  ...{ external: true, externalAccepted: true },
  ...{ frozen: true, halted: true, released: true, resumed: true, adopted: true, denied: true },
  nonceCancelled: true,
  pinned: true,
  departed: true,
  feeTaken: true,
  ...{ difference: true, walletOpened: true, debtsOpened: true, split: true, entitled: true, paid: true },
  writtenOff: true,
  ...{ operationPlanned: true, operation: true, treasuryStopped: true },
  ...{ session: true, sessionDoubted: true, bar: true, instruments: true, quotes: true, timer: true },
};

/** @throws {ConfigError} when there is no such kind */
export function factKind(text: string): Kind {
  if (isKind(text)) return text;
  const names = Object.keys(KINDS);
  const meant = suggest(text, names);
  const hint = meant === undefined ? '' : ` Did you mean ${meant}?`;
  throw new ConfigError(
    `--kind: there is no kind ${JSON.stringify(text)}.${hint} There are ${names.join(', ')}`,
  );
}

const isKind = (text: string): text is Kind => Object.hasOwn(KINDS, text);
