import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { walletOf } from '../../../src/wallet/account.ts';
import { drover } from './commandLine.ts';
import { declined, startVenueStub, type StubAnswers } from './venueStub.ts';

const WALLET_KEY = `0x${'11'.repeat(32)}`;
export const user = walletOf(WALLET_KEY).address;
export const delegatee = `0x${'22'.repeat(20)}`;
export const contract = `0x${'33'.repeat(20)}`;
export const aapl = `0x${'55'.repeat(20)}`;
export const spy = `0x${'66'.repeat(20)}`;
export const env = {
  DROVER_API_KEY: 'canary-key',
  DROVER_API_SECRET: 'canary-secret',
  DROVER_WALLET_KEY: WALLET_KEY,
};
export const cwd = mkdtempSync(join(tmpdir(), 'drover-'));

const token = (symbol: string, walletBalance: string, exchangeBalance: string) => ({
  address: aapl,
  name: symbol,
  symbol: `${symbol}x`,
  stockSymbol: symbol,
  isStock: true,
  decimals: 18,
  price: 200.5,
  walletBalance,
  walletAllowance: '0',
  exchangeBalance,
  logoUrl: '',
});
export const listing = (symbol: string, more: object = {}) => ({
  symbol,
  contractAddress: aapl,
  contractSymbol: `${symbol}x`,
  contractName: symbol,
  decimals: 18,
  onChainDecimals: 18,
  overnightTradable: false,
  fractionalEhEnabled: false,
  change24H: 0,
  change24HPercent: 0,
  volume24H: 0,
  logoUrl: '',
  pdfUrl: '',
  name: symbol,
  tradable: true,
  fractionable: true,
  price: 200.5,
  // The present: in the session no decision uses a price from before its open.
  lastUpdateTimestamp: Math.floor(Date.now() / 1_000),
  ...more,
});
export const link = (createTime: number) => ({
  txHash: `0x${'ab'.repeat(32)}`,
  operationType: 'trade',
  status: 'Filled',
  orderId: null,
  operationId: null,
  chainId: 143,
  productType: 'ProductA',
  createTime,
});
const settled = {
  orderId: `0x${'cd'.repeat(32)}`,
  userAddress: user,
  side: 'Buy',
  type: 'Market',
  tif: 'DAY',
  symbol: 'AAPL',
  placeNotional: '100',
  placeQuantity: null,
  pay: '100.11',
  placePrice: null,
  status: 'Filled',
  settleTxHash: null,
  settlePrice: '200',
  settlePay: '100.11',
  settleReceive: '0.5',
  mintFee: '0.1',
  protocolFee: '0.01',
};

/** A stubbed venue with one user, and command lines that use it. A test may change any response. */
export async function startOneUser() {
  const delegation = { enabled: true };
  const answers = answersFor(delegation);
  const venue = await startVenueStub(answers);
  const oneUser = {
    answers,
    delegation,
    venue,
    /** `METHOD /path` of each request so far. */
    sent: () => venue.requests.map(({ method, path }) => `${method} ${path}`),
    run: (...argv: string[]) => drover([...argv, '--config', 'my.yaml'], { env, cwd }),
    /** Writes my.yaml; `more` is a line of its venue section. */
    writeConfig: (more = '', terms: ConfigTerms = {}) =>
      writeFileSync(join(cwd, 'my.yaml'), configText(venue.baseUrl, { more, ...terms })),
  };
  oneUser.writeConfig();
  return oneUser;
}

const answersFor = (delegation: { enabled: boolean }): StubAnswers => {
  const status = () => ({ status: delegation.enabled ? 'enable' : 'disabled' });
  const turn = (enabled: boolean) => () => {
    delegation.enabled = enabled;
    return status();
  };
  return {
    'GET /api/v1/symbols': () => [listing('AAPL'), listing('SPY', { contractAddress: spy })],
    [`GET /api/v1/users/${user}`]: () => ({ userId: user, userAddress: user.toLowerCase() }),
    [`GET /api/v1/users/${user}/balance`]: () => ({
      chainId: 143,
      productType: 'ProductA',
      address: user,
      mUsdBalance: '5000.25',
      tokenBalances: [token('AAPL', '1', '2.5')],
    }),
    [`GET /api/v1/users/${user}/positions`]: () => [token('AAPL', '1', '2.5'), token('SPY', '0', '0')],
    'GET /api/v1/config': () => ({}),
    'GET /api/v1/orders': () => ({
      total: 2,
      rows: [{ ...link(1_781_530_060), openOrder: null, historyOrder: settled }, link(1_781_530_000)],
    }),
    'GET /api/v1/1ct/status': () => ({ ...status(), delegatee }),
    'POST /api/v1/1ct/prepare': ({ body }) => prepare(JSON.parse(body) as { deadline?: number }),
    'POST /api/v1/1ct/enable': turn(true),
    'POST /api/v1/1ct/disable': turn(false),
  };
};

function prepare({ deadline }: { deadline?: number }) {
  if (deadline === undefined) return declined(10_000, 'deadline is required');
  const fields = (...pairs: string[]) =>
    pairs.map((pair) => ({ type: pair.split(' ')[0], name: pair.split(' ')[1] }));
  return {
    delegatee,
    nonce: 0,
    deadline,
    signPayload: {
      domain: { name: 'OneClickRouter', version: '1', chainId: 143, verifyingContract: contract },
      types: {
        EIP712Domain: fields('string name', 'string version', 'uint256 chainId', 'address verifyingContract'),
        Delegate: fields('address user', 'address delegatee', 'uint64 nonce', 'uint32 deadline'),
      },
      primaryType: 'Delegate',
      message: { user, delegatee, nonce: 0, deadline },
    },
  };
}

type ConfigTerms = Readonly<{ mode?: string; symbol?: string; userAddress?: string }>;

const configText = (
  baseUrl: string,
  { more, mode = 'live', symbol = 'SPY', userAddress = user }: ConfigTerms & { more: string },
) => `mode: ${mode}
venue:
  baseUrl: ${baseUrl}
  chainId: 143
  product: ProductA
  userAddress: '${userAddress}'
  ${more}
signing: { allow: [delegation] }
limits:
  { orderNotional: 1, positionNotional: 1, grossExposure: 1, ordersPerMinute: 1, dayLoss: 1, priceBandBps: 1, quoteAgeMs: 1000 }
strategies: [{ id: one, use: dca, capital: 1000, params: { symbol: ${symbol}, notional: 5 } }]
`;
