import { written } from '../../../figures/format.ts';
import type { AccountView } from '../../../ops/model/account.ts';
import type { Status } from '../../../ops/model/status.ts';
import { isNothing, money, price, shares } from '../../parts/amounts.tsx';
import { useReading } from '../../parts/reading.ts';
import { Table } from '../../parts/table.tsx';
import { newYorkTime } from '../../parts/times.ts';
import { commandLine, Problem, Words, words } from '../../parts/words.tsx';
import { Steer } from '../../steering/steering.tsx';
import { Commands } from '../../steering/progress.tsx';
import type { ViewProps } from '../viewProps.ts';
import { formatDecimal, WAD, parseSigned } from '../../../core/amount.ts';

type Asset = AccountView['assets'][number];

const WORTHS = [
  { title: 'Asset' },
  { title: 'Amount', isNumber: true },
  { title: 'Price', unit: 'mUSD', isNumber: true },
  { title: 'Worth', unit: 'mUSD', isNumber: true },
  { title: 'Of the sum', isNumber: true },
];
const PLACES = [
  { title: 'Asset' },
  { title: 'At the venue', isNumber: true },
  { title: 'In the wallet', isNumber: true },
  { title: 'On its way in', isNumber: true },
  { title: 'On its way out', isNumber: true },
  { title: 'Shares owed for deferred sells', isNumber: true },
  { title: 'The venue shows' },
];
const OWNERS = [
  { title: 'Asset' },
  { title: 'Strategy' },
  { title: 'Free', isNumber: true },
  { title: 'Reserved for orders', isNumber: true },
  { title: "Spent from other strategies' money", isNumber: true },
];

/** All places of money and stock in the ledger, and where the venue differs. */
export function Account({ daemon }: ViewProps) {
  const { value, problem } = useReading<AccountView>(daemon, 'v1/account');
  const status = daemon.status.value;
  const assets = value?.assets ?? [];
  const readAt = value?.readAt ?? null;
  return (
    <>
      <h2>Account</h2>
      <Problem text={problem} />
      <p class="of">
        {readAt === null || status === null
          ? 'The account has not been read from the venue yet.'
          : `mUSD and shares. Last read from the venue ${newYorkTime(readAt, status.now)}.`}
      </p>
      <Differences daemon={daemon} assets={assets} />
      <Commands daemon={daemon} />
      {status === null || assets.length === 0 ? null : <Worths assets={assets} status={status} />}
      <h2>Where it is</h2>
      <Table name="Places" columns={PLACES} rows={assets.map(placesOf)} empty="The account is empty." />
      <h2>By strategy</h2>
      <Table
        name="By strategy"
        columns={OWNERS}
        rows={assets.flatMap(ownersOf)}
        empty="No strategy has cash or shares."
      />
    </>
  );
}

/** Value of each asset, largest first, and their total. */
function Worths({ assets, status }: Readonly<{ assets: readonly Asset[]; status: Status }>) {
  const { worths, sum } = worthsOf(assets, status);
  const largest = worths.toSorted((a, b) => Number(b.worth ?? 0) - Number(a.worth ?? 0));
  const rows = largest.map(({ asset, name, amount, price: each, worth, share }) => ({
    key: asset,
    cells: [
      <Words text={name} />,
      asset === 'mUSD' ? money(amount) : shares(amount),
      asset === 'mUSD' ? null : price(each),
      money(worth),
      share === null ? '–' : written(share, 'percent1'),
    ],
  }));
  const total = {
    key: 'sum',
    cells: [<strong>Sum</strong>, null, null, <strong>{money(sum)}</strong>, null],
  };
  return <Table name="Worth" columns={WORTHS} rows={[...rows, total]} empty="" />;
}

/** Differences between ledger and venue, and what to do about them. */
function Differences({ daemon, assets }: Pick<ViewProps, 'daemon'> & Readonly<{ assets: readonly Asset[] }>) {
  const todo = daemon.status.value?.todo ?? [];
  const different = assets.filter(({ difference }) => difference !== null);
  if (different.length === 0) return null;
  return (
    <section class="attention" aria-label="Differences">
      <ul>
        {different.map(({ asset, name, difference }) => (
          <li key={asset}>
            <Words text={`${name}: ${difference ?? ''}`} whole />
          </li>
        ))}
        {todo.map(({ text, command, action }) => (
          <li key={text}>
            <Words text={text} whole /> {command === null ? null : <code>{words(commandLine(command))}</code>}{' '}
            {action === null ? null : <Steer daemon={daemon} action={action} />}
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Amount of an asset for people: mUSD in cents, stock in shares; null for zero. */
const amountOf = (asset: string, text: string): string | null => {
  if (isNothing(text)) return null;
  return asset === 'mUSD' ? money(text) : shares(text);
};

const placesOf = ({ asset, name, venue, wallet, queuedIn, queuedOut, debt, difference }: Asset) => ({
  key: asset,
  cells: [
    <Words text={name} />,
    ...[venue, wallet, queuedIn, queuedOut, debt].map((text) => amountOf(asset, text)),
    difference === null ? (
      <span class="none">the same</span>
    ) : (
      <span class="loss">
        <Words text={difference} />
      </span>
    ),
  ],
});

const ownersOf = ({ asset, name, owners }: Asset) =>
  owners.map(({ strategy, free, reserved, owed }) => ({
    key: `${asset} ${strategy}`,
    cells: [
      <Words text={name} />,
      strategy === '' ? <span class="none">unallocated</span> : <Words text={strategy} />,
      ...[free, reserved, owed].map((text) => amountOf(asset, text)),
    ],
  }));

/** Amount and value of an asset in all places together, as decimals. Null: price unknown. `share`: of the total. */
export type Worth = Readonly<{
  asset: string;
  name: string;
  amount: string;
  price: string | null;
  worth: string | null;
  share: number | null;
}>;

/** Value in mUSD of each asset at the latest prices, and their total, which excludes assets without a price. */
export function worthsOf(
  assets: readonly AccountView['assets'][number][],
  { strategies, unallocated }: Pick<Status, 'strategies' | 'unallocated'>,
): Readonly<{ worths: readonly Worth[]; sum: string }> {
  const held = [...strategies, unallocated].flatMap(({ positions }) => positions);
  const prices = new Map(held.map(({ symbol, price }) => [symbol, price]));
  const valued = assets.map(({ asset, name, venue, wallet, queuedIn, queuedOut, debt }) => {
    const amount = [venue, wallet, queuedIn, queuedOut, debt].reduce(
      (sum, text) => sum + parseSigned(text),
      0n,
    );
    const price = asset === 'mUSD' ? '1' : (prices.get(asset) ?? null);
    return { asset, name, amount, price, worth: price === null ? null : (amount * parseSigned(price)) / WAD };
  });
  const sum = valued.reduce((total, { worth }) => total + (worth ?? 0n), 0n);
  const worths = valued.map(({ amount, worth, ...rest }) => ({
    ...rest,
    amount: formatDecimal(amount),
    worth: worth === null ? null : formatDecimal(worth),
    share: worth === null || sum <= 0n ? null : Number((worth * 10_000n) / sum) / 10_000,
  }));
  return { worths, sum: formatDecimal(sum) };
}
