import { expect, test } from 'vitest';
import { ASSUMED } from '../../../src/api/assumptions/assumptions.ts';
import { assumptionsIn } from '../../../src/app/config/sections.ts';
import { parseConfig } from '../../../src/app/config/load.ts';
import { Secrets } from '../../../src/core/secrets.ts';
import { ROUTER_FUNCTION_NAMES } from '../../../src/wallet/router.ts';

const source = { file: 'my.yaml', cwd: '/home/me', secrets: new Secrets(), overrides: [] };
const configOf = (assumptions: string) =>
  parseConfig(
    `venue:
  baseUrl: https://venue.example
  chainId: 143
  product: ProductA
  userAddress: '0x1111111111111111111111111111111111111111'
  ${assumptions === '' ? '' : `assumptions: ${assumptions}`}
strategies: [{ id: one, use: dca, capital: 1000 }]
`,
    source,
  ).config;
const read = (assumptions: string) => {
  const { venue } = configOf(assumptions);
  if (!venue) throw new Error('the config has no venue');
  return assumptionsIn(venue);
};
const refusal = (assumptions: string): string => {
  try {
    configOf(assumptions);
  } catch (error) {
    return String(error);
  }
  return 'taken';
};

test('the default assumptions hold without an overlay', () => {
  expect(read('')).toBe(ASSUMED);
  expect(read('{}')).toEqual(ASSUMED);
});

test('an overlay changes only what it names', () => {
  const overlay =
    '{ fields: { link: { createTime: createdAt } }, units: { t: s }, proof: { orderEnds: [Filled] } }';
  expect(read(overlay)).toEqual({
    ...ASSUMED,
    fields: { ...ASSUMED.fields, link: { ...ASSUMED.fields.link, createTime: 'createdAt' } },
    units: { ...ASSUMED.units, t: 's' },
    orderEnds: new Set(['Filled']),
  });
});

test.each([
  [
    '{ fields: { lnik: {} } }',
    /my\.yaml:6:28: venue\.assumptions\.fields\.lnik: unknown key.*Did you mean "link"/,
  ],
  ['{ fields: { link: { createTyme: x } } }', /createTyme: unknown key.*Did you mean "createTime"/],
  ['{ fields: { link: { createTime: "a/b" } } }', /must be a name as the venue writes it/],
  [
    '{ fields: { link: { createTime: status } } }',
    /uses status for two names at once: give the other one a name too/,
  ],
  ['{ proof: { orderEnds: [] } }', /must keep at least one word: without any, nothing ever ends/],
  ['{ proof: { transferEnds: [] } }', /must keep at least one word/],
  ['{ units: { t: minutes } }', /must be ms, s or none, not "minutes"/],
  ['{ notFoundCode: 401 }', /must not be 200, 401, 500: these mean something else/],
  ['{ words: { orderStatus: { Filled: DONE } } }', /orderStatus: unknown key/],
])('overlay %s is refused with its place', (overlay, message) => {
  expect(refusal(overlay)).toMatch(message);
});

test.each(['orderEnds: [Filled, DONE]', 'transferEnds: [success, done]', 'refusals: [session, balance]'])(
  'an overlay can only narrow what counts as proof: %s is refused with the reason',
  (proof) => {
    expect(refusal(`{ proof: { ${proof} } }`)).toMatch(
      /can only leave out some of .*nothing else is known to be proof.*money that may still be at stake, not "(DONE|done|balance)"/,
    );
  },
);

test('an overlay can take the proof from every refusal text', () => {
  expect(refusal('{ proof: { refusals: [] } }')).toBe('taken');
});

test('an overlay can swap two names', () => {
  expect(refusal('{ fields: { debt: { stockAddress: stockSymbol, stockSymbol: stockAddress } } }')).toBe(
    'taken',
  );
});

test.each([
  ['repayDeferredStockDebt: repayDebt', /must be a signature such as repayDeferredStockDebt\(address stock/],
  ['repayDeferredStockDebt: "repay(address stock)"', /must have the arguments of repayDeferredStockDebt/],
  ['repayDeferredStockDebt: "repay(address stock, bytes32 amount)"', /must have the arguments/],
  ['repayDeferredStockDebt: "repay(address stock, uint257 amount)"', /must have the arguments/],
  ['placeMarketOrder: "order(address stock, uint96 amount, uint32 deadline)"', /must have the arguments/],
  [
    'depositStock: "withdrawStock(address token, uint256 amount)"',
    /gives withdrawStock\(address,uint256\) to two/,
  ],
  ['depositAll: "depositAll(address token)"', /unknown key/],
])('functions: { %s } is refused', (functions, message) => {
  expect(refusal(`{ functions: { ${functions} } }`)).toMatch(message);
});

test('an overlay can give a function another name, widths and order of arguments', () => {
  const text = 'repayDebt(uint128 amount, address stock)';
  const { venue } = configOf(`{ functions: { repayDeferredStockDebt: "${text}" } }`);
  expect(venue?.assumptions?.functions).toEqual({ repayDeferredStockDebt: text });
  expect(ROUTER_FUNCTION_NAMES).toHaveLength(14);
});
