import { parseAbi } from 'viem/utils';
import { contracts } from './constants.ts';
import type { Address } from '../../domain/instrument.ts';
import type { AbiValue } from '../../wallet/routerAbi.ts';

/**
 * Events that the contracts emit for the indexer. Published names are used where deployments have them; the rest are
 * ours. Amounts as in the router's functions. Events of stock deposits and withdrawals carry no id (spec, "What the
 * service does").
 */
export const eventAbi = parseAbi([
  'event MarketOrderPlaced(bytes32 indexed orderId, address indexed user, address indexed stockToken, int96 amount)',
  'event LimitOrderPlaced(bytes32 indexed orderId, address indexed user, address indexed stockToken, int96 quantity, uint96 price, uint8 tif)',
  'event MarketOrderSettled(bytes32 indexed orderId, address user, address stockToken, address cashier, int96 stockDelta, uint96 price, uint256 mintFee, uint256 protocolFee)',
  'event LimitOrderSettled(bytes32 indexed orderId, address user, address stockToken, address cashier, int96 stockDelta, uint96 price, uint256 mintFee, uint256 protocolFee)',
  'event CancelRequested(bytes32 indexed orderId)',
  'event InstantDeposit(bytes32 indexed opId, address indexed user, address token, uint256 amount, uint256 creditAmount)',
  'event DepositRequested(bytes32 indexed opId, address indexed user, address token, uint256 amount, uint256 creditAmount)',
  'event DepositSettled(bytes32 indexed opId)',
  'event DepositFailed(bytes32 indexed opId)',
  'event InstantWithdrawal(bytes32 indexed opId, address indexed user, address token, uint256 amount, uint256 creditAmount)',
  'event WithdrawalRequested(bytes32 indexed opId, address indexed user, address token, uint256 amount, uint256 creditAmount)',
  'event WithdrawalSettled(bytes32 indexed opId)',
  'event WithdrawalFailed(bytes32 indexed opId)',
  'event StockDeposited(address indexed user, address indexed stockToken, uint256 amount)',
  'event StockWithdrawn(address indexed user, address indexed stockToken, uint256 amount)',
  'event DepositAndMarketBuy(bytes32 indexed depositOpId, bytes32 indexed orderId, address indexed user, address depositToken, uint96 depositAmount, address stockToken, int96 usdAmount)',
  'event DepositAndLimitBuy(bytes32 indexed depositOpId, bytes32 indexed orderId, address indexed user, address depositToken, uint96 depositAmount, address stockToken, int96 quantity)',
  'event DepositStockAndMarketSell(bytes32 indexed orderId, address indexed user, address indexed stockToken, uint256 depositAmount, int96 quantity)',
  'event DepositStockAndLimitSell(bytes32 indexed orderId, address indexed user, address indexed stockToken, uint256 depositAmount, int96 quantity)',
  'event DeferredSellDebtIncreased(address indexed user, address indexed stockToken, bytes32 indexed orderId, uint256 amount)',
  'event Approval(address indexed owner, address indexed spender, uint256 value)',
  'event DeferredSellDebtRepaid(address indexed user, address indexed stockToken, uint256 amount)',
]);

type Event = (typeof eventAbi)[number];
type EventOf<E> = E extends Event
  ? Readonly<{
      address: Address;
      name: E['name'];
      args: Readonly<{
        [Input in E['inputs'][number] as Input['name']]: AbiValue<Input>;
      }>;
    }>
  : never;

/** A log of a transaction, before it is encoded. */
export type ChainEvent = EventOf<Event>;

/** Collects the events of the transaction being executed. */
export type Emit = (event: ChainEvent) => void;

type ArgsOf<Name extends ChainEvent['name']> = Extract<ChainEvent, { name: Name }>['args'];

const eventsOf =
  (address: Address) =>
  <Name extends ChainEvent['name']>(name: Name, args: ArgsOf<Name>) =>
    ({ address, name, args }) as ChainEvent;

/** Events of the contracts that emit them: for orders and stock, and for cash. */
export const exchangeEvent = eventsOf(contracts.stock);
export const cashierEvent = eventsOf(contracts.cashier);
