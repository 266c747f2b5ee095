import { parseAbi } from 'viem/utils';

/**
 * The functions of the router. Amounts of mUSD, of stock, prices and quantities are wads (10⁻¹⁸), amounts of a cash
 * token its raw units, times Unix seconds; a sell is a negative amount, a buy a positive one. `tif` counts DAY, GTC,
 * OPG, IOC, FOK, GTX, GTD, CLS from 0. The first nine are those of deployments; the rest are ours, by symmetry.
 */
export const routerAbi = parseAbi([
  'function placeMarketOrder(address stock, int96 amount, uint32 deadline) returns (bytes32 orderId)',
  'function placeLimitOrder(address stock, int96 quantity, uint96 price, uint8 tif, uint32 deadline) returns (bytes32 orderId)',
  'function deposit(address token, uint96 amount) returns (bytes32 opId)',
  'function withdraw(address token, uint96 amountWad) returns (bytes32 opId)',
  'function depositStock(address token, uint256 amount)',
  'function withdrawStock(address token, uint256 amount)',
  'function depositAndMarketBuy(address depositToken, uint96 depositAmount, address stock, int96 usdAmount, uint32 deadline) returns (bytes32 orderId)',
  'function depositStockAndMarketSell(address stock, uint256 depositAmount, int96 quantity, uint32 deadline) returns (bytes32 orderId)',
  'function depositStockAndLimitSell(address stock, uint256 depositAmount, int96 quantity, uint96 price, uint8 tif, uint32 deadline) returns (bytes32 orderId)',
  'function depositAndLimitBuy(address depositToken, uint96 depositAmount, address stock, int96 quantity, uint96 price, uint8 tif, uint32 deadline) returns (bytes32 orderId)',
  'function cancelLimitOrder(bytes32 orderId, uint32 deadline)',
  'function placeDeferredMarketSell(address stock, uint96 quantity, uint32 deadline) returns (bytes32 orderId)',
  'function placeDeferredLimitSell(address stock, uint96 quantity, uint96 price, uint8 tif, uint32 deadline) returns (bytes32 orderId)',
  'function repayDeferredStockDebt(address stock, uint256 amount)',
]);

/** What only the venue's desk may call. Nobody has published its names. */
export const deskAbi = parseAbi([
  'function settleOrder(bytes32 orderId)',
  'function settleDeposit(bytes32 opId)',
  'function settleWithdrawal(bytes32 opId)',
]);
