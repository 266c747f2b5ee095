/** Lists by path the missing or malformed fields of a value, and the unexpected ones. */
export type Shape = (value: unknown, path?: string) => string[];

const simple =
  (what: string, holds: (value: unknown) => boolean): Shape =>
  (value, path = 'data') =>
    holds(value) ? [] : [`${path}: ${JSON.stringify(value)} is not ${what}`];

const matching = (what: string, pattern: RegExp) =>
  simple(what, (value) => typeof value === 'string' && pattern.test(value));

const string = simple('a string', (value) => typeof value === 'string');
const number = simple('a number', (value) => typeof value === 'number' && Number.isFinite(value));
const boolean = simple('a boolean', (value) => typeof value === 'boolean');
const seconds = simple('Unix seconds', (value) => Number.isInteger(value) && String(value).length === 10);
const decimal = matching('a decimal text', /^\d+(\.\d+)?$/);
const address = matching('an address', /^0x[0-9a-fA-F]{40}$/);
const hash = matching('32 bytes in hex', /^0x[0-9a-f]{64}$/);
const word = (...words: readonly unknown[]) =>
  simple(`one of ${words.join(', ')}`, (value) => words.includes(value));
const orNull =
  (shape: Shape): Shape =>
  (value, path) =>
    value === null ? [] : shape(value, path);

/** Exactly the fields of the table; those of `optional` may be missing. */
const table =
  (fields: Readonly<Record<string, Shape>>, optional: Readonly<Record<string, Shape>> = {}): Shape =>
  (value, path = 'data') => {
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      return [`${path}: ${JSON.stringify(value)} is not an object`];
    const all: Readonly<Record<string, Shape>> = { ...fields, ...optional };
    const given: Readonly<Record<string, unknown>> = { ...value };
    return [
      ...Object.keys(fields).flatMap((name) => (name in given ? [] : [`${path}.${name} is missing`])),
      ...Object.entries(given).flatMap(
        ([name, inner]) => all[name]?.(inner, `${path}.${name}`) ?? [`${path}.${name} is not specified`],
      ),
    ];
  };

/** A list with at least one row, so that a row is really checked. */
const listOf =
  (row: Shape): Shape =>
  (value, path = 'data') =>
    Array.isArray(value) && value.length > 0
      ? value.flatMap((each, index) => row(each, `${path}[${index}]`))
      : [`${path}: ${JSON.stringify(value)} is not a list with rows`];

/** The resources of the specification, field by field. */
export const symbols = listOf(
  table({
    symbol: string,
    contractAddress: address,
    contractSymbol: string,
    contractName: string,
    decimals: number,
    onChainDecimals: number,
    tradable: boolean,
    fractionable: boolean,
    overnightTradable: boolean,
    fractionalEhEnabled: boolean,
    price: number,
    change24H: number,
    change24HPercent: number,
    logoUrl: string,
    lastUpdateTimestamp: seconds,
    name: string,
    pdfUrl: string,
    volume24H: number,
  }),
);
export const basicInfo = table({
  symbol: string,
  contractAddress: address,
  contractSymbol: string,
  onChainDecimals: number,
  name: string,
  exchange: string,
  status: word('active', 'inactive'),
  price: number,
  change24H: number,
  change24HPercent: number,
  volume24H: number,
  tradable: boolean,
  fractionable: boolean,
  lastUpdateTimestamp: seconds,
});
/** The fields of `onChain` are not specified. */
export const quote = table({
  basicInfo,
  onChain: simple('an object', (value) => typeof value === 'object'),
});
export const bars = listOf(
  table({ open: number, high: number, low: number, close: number, volume: number, timestamp: seconds }),
);
export const user = table({ userId: string, userAddress: address });
const tokenBalance = table({
  address,
  name: string,
  symbol: string,
  stockSymbol: orNull(string),
  isStock: boolean,
  decimals: number,
  price: orNull(number),
  walletBalance: decimal,
  walletAllowance: decimal,
  exchangeBalance: decimal,
  logoUrl: string,
});
export const positions = listOf(tokenBalance);
export const balance = table({
  chainId: word(143),
  productType: word('ProductA'),
  address,
  mUsdBalance: decimal,
  tokenBalances: positions,
});
export const calldata = (method: string) =>
  table({
    chainId: word(143),
    productType: word('ProductA'),
    toAddress: address,
    value: word('0'),
    callData: matching('calldata', /^0x([0-9a-f]{2}){4,}$/),
    method: word(method),
  });
const openFields = {
  orderId: hash,
  userAddress: address,
  side: word('Buy', 'Sell'),
  type: word('Market', 'Limit'),
  tif: word('DAY'),
  symbol: string,
  placeNotional: decimal,
  placeQuantity: decimal,
  pay: decimal,
  placePrice: decimal,
};
const deferred = { deferred: word(true) };
const openOrder = table({ ...openFields, status: word('placing', 'canceling') }, deferred);
const historyOrder = table(
  {
    ...openFields,
    status: word('Filled', 'Canceled', 'Expired', 'Rejected'),
    settleTxHash: orNull(hash),
    settlePrice: decimal,
    settlePay: orNull(decimal),
    settleReceive: orNull(decimal),
    mintFee: decimal,
    protocolFee: decimal,
  },
  deferred,
);
const depositOperation = table({
  operationId: hash,
  userAddress: address,
  tokenAddress: address,
  status: word('processing', 'success', 'failed'),
  isInstant: boolean,
  amount: number,
  creditAmount: number,
  feeAmount: number,
  createTxHash: hash,
  settleTxHash: orNull(hash),
});
export const delegationStatus = table({ status: word('enable', 'disabled'), delegatee: address });
const typedFields = (...pairs: readonly string[]) =>
  simple(
    pairs.join(', '),
    (value) =>
      JSON.stringify(value) ===
      JSON.stringify(pairs.map((pair) => ({ name: pair.split(' ')[0], type: pair.split(' ')[1] }))),
  );
export const prepared = table({
  delegatee: address,
  nonce: number,
  deadline: seconds,
  signPayload: table({
    domain: table({
      name: word('OneClickRouter'),
      version: word('1'),
      chainId: word(143),
      verifyingContract: address,
    }),
    types: table({
      EIP712Domain: typedFields(
        'name string',
        'version string',
        'chainId uint256',
        'verifyingContract address',
      ),
      Delegate: typedFields('user address', 'delegatee address', 'nonce uint64', 'deadline uint32'),
    }),
    primaryType: word('Delegate'),
    message: table({ user: address, delegatee: address, nonce: number, deadline: seconds }),
  }),
});

/** Fields that the specification leaves open, as we assume them. */
const MAPPED = [
  'Init',
  'Pending',
  'New',
  'Partial filled',
  'Filled',
  'Canceled',
  'Expired',
  'Rejected',
  'Failed',
];
const MOVED = ['Pending', 'processing', 'success', 'failed'];
const linkFields = (type: string, words: readonly string[]) => ({
  txHash: hash,
  operationType: word(type),
  status: word(...words),
  orderId: orNull(hash),
  operationId: orNull(hash),
  chainId: word(143),
  productType: word('ProductA'),
  createTime: seconds,
});
const sides = { openOrder: orNull(openOrder), historyOrder: orNull(historyOrder) };
const tradeLink = linkFields('trade', MAPPED);
export const orderLink = table(tradeLink);
const orderFields = { mappingStatus: word(...MAPPED), orderStatus: word(...MAPPED), mapping: orderLink };
const nothing = word(null);
export const restingOrder = table({ ...orderFields, openOrder, historyOrder: nothing });
export const settledOrder = table({ ...orderFields, openOrder: nothing, historyOrder });
const pageOf = (row: Shape) => table({ total: number, rows: listOf(row) });
export const orders = pageOf(table({ ...tradeLink, ...sides }));

const stockOperation = table({
  operationId: hash,
  userAddress: address,
  tokenAddress: address,
  stockSymbol: string,
  status: word('processing', 'success', 'failed'),
  amount: decimal,
  createTxHash: hash,
});
/** `withdrawalOperation` mirrors `depositOperation`. */
const PARTS = {
  deposit: { depositOperation, withdrawalOperation: nothing },
  withdraw: { withdrawalOperation: depositOperation, depositOperation: nothing },
  stock_deposit: { stockOperation },
  stock_withdraw: { stockOperation },
};
const orNulls = (fields: Readonly<Record<string, Shape>>) =>
  Object.fromEntries(Object.entries(fields).map(([name, shape]) => [name, orNull(shape)]));
export const operationLink = (type: string) => table(linkFields(type, MOVED));
export const operations = (type: keyof typeof PARTS) =>
  pageOf(table({ ...linkFields(type, MOVED), ...orNulls(PARTS[type]) }));
export const operation = (type: keyof typeof PARTS) =>
  table({
    mappingStatus: word(...MOVED),
    operationStatus: word(...MOVED),
    mapping: operationLink(type),
    ...PARTS[type],
  });
export const sent = table({
  uuid: matching('a UUID', /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
  txHash: hash,
});
export const debts = listOf(table({ stockAddress: address, stockSymbol: string, debtQuantity: decimal }));
export const turned = (status: string) => table({ status: word(status) });
const day = matching('a date', /^\d{4}-\d\d-\d\d$/);
export const corporateActions = listOf(
  table({
    symbol: string,
    type: word('forward_split', 'reverse_split', 'cash_dividend', 'spin_off'),
    exDate: day,
    recordDate: day,
    payableDate: day,
    oldRate: orNull(decimal),
    newRate: orNull(decimal),
    cashPerShare: orNull(decimal),
  }),
);
export const config = table({
  cashierBuffer: table({
    creditBuffer: decimal,
    creditBufferCapacity: decimal,
    instantThresholdDivisor: number,
  }),
  exchangeFeeConfig: table({
    chainId: word(143),
    productType: word('ProductA'),
    buyMintFeeBps: number,
    buyProtocolFeeBps: number,
    sellProtocolFeeBps: number,
  }),
  cashierTokenConfig: listOf(
    table({
      tokenAddress: address,
      symbol: string,
      decimals: number,
      minAmount: decimal,
      depositPaused: boolean,
      withdrawPaused: boolean,
      depositFeeBps: number,
      withdrawFeeBps: number,
      withdrawalBuffer: decimal,
      withdrawalBufferCapacity: decimal,
    }),
  ),
});
/** The envelope of every response. */
export const envelope = table({
  code: number,
  errMsg: string,
  uuid: orNull(string),
  t: orNull(number),
  data: () => [],
});
