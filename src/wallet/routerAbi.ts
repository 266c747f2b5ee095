import type { AbiFunction, AbiParameterToPrimitiveType } from 'viem';
import { decodeAbiParameters, encodeFunctionData, parseAbi, toFunctionSelector } from 'viem/utils';

export type Hex = `0x${string}`;

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

/** A function with its arguments by name. */
export type CallTo<F extends AbiFunction> = F extends AbiFunction
  ? Readonly<
      { kind: F['name'] } & {
        [Input in F['inputs'][number] as Input['name'] & string]: AbiParameterToPrimitiveType<Input>;
      }
    >
  : never;

/** What a transaction can ask of the router, as its calldata says it. */
export type RouterCall = CallTo<(typeof routerAbi)[number]>;

export type CallCodec<Call> = Readonly<{
  /** The calldata of a call. @throws when an argument does not fit its type */
  encode(call: Call): Hex;
  /** The call that calldata stands for. Null unless it is, byte for byte, what the call is encoded to. */
  decode(data: string): Call | null;
}>;

/** Turns calls of these functions into calldata and back. */
export function callCodec<F extends AbiFunction>(functions: readonly F[]): CallCodec<CallTo<F>> {
  type Call = CallTo<F>;
  const byName = new Map<string, F>(functions.map((each) => [each.name, each]));
  const bySelector = new Map<string, F>(functions.map((each) => [toFunctionSelector(each), each]));
  const encode = (call: Call): Hex => {
    const values = new Map<string, unknown>(Object.entries(call));
    const kind = String(values.get('kind'));
    const target: AbiFunction | undefined = byName.get(kind);
    const args = target?.inputs.map(({ name }) => values.get(name ?? '')) ?? [];
    return encodeFunctionData({ abi: target ? [target] : [], functionName: kind, args });
  };
  const decode = (text: string): Call | null => {
    const data = text.toLowerCase() as Hex;
    const target: AbiFunction | undefined = bySelector.get(data.slice(0, 10));
    if (!target) return null;
    try {
      const args = decodeAbiParameters(target.inputs, `0x${data.slice(10)}`);
      const named = target.inputs.map(({ name }, index) => [name, args[index]]);
      const call = { kind: target.name, ...Object.fromEntries(named) } as Call;
      return encode(call) === data ? call : null;
    } catch {
      return null;
    }
  };
  return { encode, decode };
}

export const { encode: encodeRouterCall, decode: decodeRouterCall } = callCodec(routerAbi);
