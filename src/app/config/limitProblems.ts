import { treeOf, type Tree } from '../../core/nesting.ts';
import { isTicker } from '../../domain/instrument.ts';
import type { Path, Problem } from './problems.ts';

const NAME = /^[a-z0-9][a-z0-9-]{0,39}$/;
/** Problem of a key that is not a symbol. */
export const NO_STOCK = { problem: 'is not a stock symbol', remedy: 'Write it like TSLA' } as const;

/** Problems between limits of one scope that are each valid. `under`: the path of the scope in the config. */
export function limitProblems(limits: Tree, under: Path): Problem[] {
  return [
    ...drawdownProblems(limits['drawdown'], [...under, 'drawdown']),
    ...Object.entries(treeOf(limits['symbols'])).flatMap(([symbol, own]) =>
      symbolProblems(limits, treeOf(own), [...under, 'symbols', symbol]),
    ),
    ...Object.entries(treeOf(limits['groups'])).flatMap(([name, group]) =>
      groupProblems(limits, treeOf(group), [...under, 'groups', name]),
    ),
  ];
}

function drawdownProblems(drawdown: unknown, path: Path): Problem[] {
  const { percent, amount } = treeOf(drawdown);
  if (drawdown === undefined || (percent === undefined) !== (amount === undefined)) return [];
  const problem = percent === undefined ? 'has neither percent nor amount' : 'has both percent and amount';
  return [{ path, problem, remedy: 'Write one, such as { percent: 10, action: reduce }' }];
}

function symbolProblems(limits: Tree, own: Tree, path: Path): Problem[] {
  if (!isTicker(path.at(-1))) return [{ path, ...NO_STOCK, at: 'key' }];
  return ['orderNotional', 'positionNotional'].flatMap((name) =>
    wider(own[name], limits[name], { path: [...path, name], name }),
  );
}

/** Problem of a limit that never binds because a stricter one binds first: limits by stock and by group only narrow. */
function wider(
  own: unknown,
  most: unknown,
  { path, name }: Readonly<{ path: Path; name: string }>,
): Problem[] {
  if (own === undefined || most === undefined || !(Number(own) > Number(most))) return [];
  return [
    {
      path,
      problem: `is more than ${name}, which binds first`,
      remedy: `Make it smaller, or raise ${name}: this limit only narrows that one`,
    },
  ];
}

function groupProblems(limits: Tree, group: Tree, path: Path): Problem[] {
  const symbols: readonly unknown[] = Array.isArray(group['symbols']) ? group['symbols'] : [];
  const odd = 'must be named by lower-case letters, digits and hyphens, at most 40';
  return [
    ...(NAME.test(String(path.at(-1))) ? [] : [{ path, problem: odd, at: 'key' as const }]),
    ...symbols.flatMap((symbol, index): Problem[] => {
      const at: Path = [...path, 'symbols', index];
      if (!isTicker(symbol)) return [{ path: at, ...NO_STOCK }];
      if (symbols.indexOf(symbol) === index) return [];
      return [{ path: at, problem: `${symbol} stands here twice`, remedy: 'Remove one' }];
    }),
    ...wider(group['positionNotional'], limits['grossExposure'], {
      path: [...path, 'positionNotional'],
      name: 'grossExposure',
    }),
  ];
}
