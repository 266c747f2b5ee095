import { counted } from '../../core/counted.ts';
import { existsSync } from 'node:fs';
import { ConfigError, atVenueFault, closing, orAt } from '../../core/errors.ts';
import { foldJournal } from '../../engine/runtime/checkpoints.ts';
import { giveCapital } from '../../engine/account/opening.ts';
import { readJournal } from '../../store/readJournal.ts';
import { dormantKernel } from '../environment/operatorSession.ts';
import type { LoadedConfig } from '../config/load.ts';
import { journalFile } from '../environment/ownership.ts';
import { CODES, DELEGATION_ENABLED } from '../../api/assumptions/venueRules.ts';
import type { VenueClient } from '../../api/client.ts';
import { createVenue } from '../../api/venue.ts';
import { isUnreadable } from '../../core/nesting.ts';
import { epochSeconds, toSeconds, type EpochMs } from '../../core/brand.ts';
import { formatDecimal } from '../../core/amount.ts';
import { sameAddress, type Address } from '../../domain/instrument.ts';
import type { VenueConfig } from '../config/schema.ts';
import { againstDelegatee, changedDelegatee, delegationPin } from '../environment/pins.ts';
import { fail, mistake, ok, warn, type Finding } from './finding.ts';

/**
 * Reason why a start would refuse the capital according to the ledger in the state folder; null if it accepts it, undefined if
 * there is no ledger yet.
 */
function capitalTrouble({ config }: LoadedConfig): string | null | undefined {
  const file = config.state === undefined ? null : journalFile(config.state);
  if (file === null || !existsSync(file)) return undefined;
  const kernel = dormantKernel();
  const trouble = () => {
    closing(readJournal(file), (reader) => foldJournal(reader, kernel.fold));
    if (kernel.context.accountState.opened === null) return undefined;
    giveCapital(kernel.context, config.strategies);
    return null;
  };
  return orAt(ConfigError, trouble, ({ message }) => message);
}

const WARN_OFFSET_MS = 5_000;
/** Clock offset at which sending stops. */
const STOP_OFFSET_MS = 20_000;
/** Lifetime of a prepared delegation, which is never signed. */
const PREPARED_SECONDS = 60;

export function checkClock(offsetMs: number | null): Finding {
  if (offsetMs === null)
    return warn('clock', {
      detail: 'the venue states no time',
      remedy: 'Make sure that this machine keeps time by NTP',
    });
  const detail = `this clock is ${Math.abs(offsetMs) / 1000} s ${offsetMs > 0 ? 'behind' : 'ahead of'} the venue's`;
  if (Math.abs(offsetMs) < WARN_OFFSET_MS) return ok('clock', detail);
  const trouble = {
    detail,
    remedy: 'Set the clock by NTP: at 20 s off nothing is sent, at 45 s nothing is accepted',
  };
  return Math.abs(offsetMs) < STOP_OFFSET_MS ? warn('clock', trouble) : fail('clock', trouble);
}

/**
 * Checks that the key may write, which live trading needs, with a harmless request: `/1ct/prepare` changes nothing, and
 * without its deadline is never accepted; a read-only key is refused earlier.
 */
export async function checkPermission(
  client: VenueClient,
  mode: LoadedConfig['config']['mode'],
): Promise<Finding> {
  if (mode !== 'live')
    return ok('permission', `not checked: ${mode} only reads, and a READ_ONLY key is enough`);
  if (await mayWrite(client)) return ok('permission', 'the key may write');
  return fail('permission', {
    detail: 'the key may only read: it cannot place an order',
    remedy: 'Live trading needs a WRITABLE key; this one only reads',
  });
}

/** True when the key may write, tested with a request that is never accepted: a read-only key is refused earlier. */
export async function mayWrite(client: VenueClient): Promise<boolean> {
  const { code } = await client.call('POST', '/api/v1/1ct/prepare', { body: {} });
  return code !== CODES.unauthorized;
}

/**
 * Checks that the wallet in the config belongs to the key. The venue reveals it only to a key that may write: `/1ct/prepare`, which
 * changes nothing, names the wallet whose signature it needs.
 */
export async function checkBinding(
  client: VenueClient,
  { userAddress }: VenueConfig,
  { mode, now }: Readonly<{ mode: LoadedConfig['config']['mode']; now: EpochMs }>,
): Promise<Finding> {
  const user = await client.user({ path: { userId: userAddress } });
  const bound = mode === 'live' ? await walletOfKey(client, now) : null;
  const claims = [
    [user.userAddress, userAddress],
    [bound ?? userAddress, 'this key'],
  ] as const;
  const wrong = claims.find(([wallet]) => !sameAddress(wallet, userAddress));
  if (wrong)
    return fail('binding', {
      detail: `the venue has ${wrong[0]} for ${wrong[1]}`,
      remedy: 'Set venue.userAddress to the wallet that the key is bound to',
    });
  const known = `the venue knows ${userAddress}`;
  return ok(
    'binding',
    bound === null
      ? `${known}; it does not say whether the key belongs to it`
      : `${known}, and the key belongs to it`,
  );
}

/** Wallet of the key; null if the venue does not say. */
async function walletOfKey(client: VenueClient, now: EpochMs): Promise<Address | null> {
  const deadline = epochSeconds(toSeconds(now) + PREPARED_SECONDS);
  const prepared = await client.oneClickPrepare({ body: { deadline } }).catch(atVenueFault(() => null));
  return prepared?.signPayload.message.user ?? null;
}

export async function checkDelegationState(client: VenueClient, loaded: LoadedConfig): Promise<Finding> {
  const { mode, submission } = loaded.config;
  if (submission === 'calldata') return ok('one click', 'not needed: the wallet sends by itself');
  const { status, delegatee } = await client.oneClickStatus();
  const other = againstDelegatee(delegatee, delegationPin(loaded)) ?? changedDelegatee(delegatee, loaded);
  if (other !== null)
    return fail('one click', {
      detail: other,
      remedy:
        'Nothing is sent while they differ. Ask the venue; to accept the new one, set venue.delegatee in the config',
    });
  if (status === DELEGATION_ENABLED) return ok('one click', `on, delegatee ${delegatee ?? 'unknown'}`);
  const trouble = {
    detail: `off (${status})`,
    remedy: 'Orders need it: `drover oneclick enable`, for which signing.allow must name delegation',
  };
  return mode === 'live' ? fail('one click', trouble) : warn('one click', trouble);
}

/** Compares capital with the account until a run has allocated it, and then with the run's ledger. */
export async function checkBalance(client: VenueClient, loaded: LoadedConfig): Promise<Finding> {
  const { config, file } = loaded;
  const userId = config.venue?.userAddress;
  if (userId === undefined) return ok('balance', 'no wallet is configured');
  const { cash, holdings } = await createVenue(client, { userAddress: userId }).account();
  const held = [...holdings.values()].filter(({ exchange }) => exchange > 0n).length;
  const detail = `${formatDecimal(cash)} mUSD free, ${counted(held, 'stock')} on the exchange`;
  const trouble = capitalTrouble(loaded);
  if (trouble === null) return ok('balance', detail);
  if (trouble !== undefined)
    return mistake('balance', { detail: `${detail}; a run would not start: ${trouble}`, remedy: null });
  const needed = config.strategies.reduce((sum, { capital }) => sum + capital, 0n);
  if (cash >= needed || held > 0) return ok('balance', detail);
  return warn('balance', {
    detail: `${detail}; the strategies of ${file} are given ${formatDecimal(needed)} mUSD`,
    remedy: 'Deposit cash, or give the strategies less capital',
  });
}

/** Checks that the order list begins with the newest order, which order tracking relies on. */
export async function checkListOrder(client: VenueClient): Promise<Finding> {
  const { total, rows } = await client.orders({ query: { page: 1, limit: 100 } });
  const times = rows.flatMap((row) =>
    isUnreadable(row) || !('mapping' in row) ? [] : [row.mapping?.createTime ?? []].flat(),
  );
  const falling = times.every((time, index) => index === 0 || time <= (times[index - 1] ?? time));
  if (times.length < 2)
    return ok('order list', `${total} orders: too few to show whether the newest come first`);
  if (falling) return ok('order list', `${total} orders, the newest first`);
  return fail('order list', {
    detail: 'orders do not come newest first by createTime',
    remedy:
      'Do not trade: orders could be overlooked. Please report this with `drover api GET /api/v1/orders`',
  });
}
