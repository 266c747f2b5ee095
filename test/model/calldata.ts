/** Calldata of an order, encoded from the router's published signatures: it exposes a wrong unit, sign or argument. */
import { encodeFunctionData, parseAbi, type Hex } from 'viem';
import type { OrderTerms } from './orderRules.ts';

const router = parseAbi([
  'function placeMarketOrder(address stock, int96 amount, uint32 deadline)',
  'function placeLimitOrder(address stock, int96 quantity, uint96 price, uint8 tif, uint32 deadline)',
  'function placeDeferredMarketSell(address stock, uint96 quantity, uint32 deadline)',
  'function placeDeferredLimitSell(address stock, uint96 quantity, uint96 price, uint8 tif, uint32 deadline)',
]);
const DAY = 0;

interface RouterCall {
  readonly method: string;
  readonly callData: Hex;
}

const deferredCall = ({ stock, type, quantity, price, deadline }: OrderTerms): RouterCall => {
  const address = stock.address as Hex;
  if (type === 'Market') {
    const method = 'placeDeferredMarketSell';
    const args = [address, quantity, deadline] as const;
    return { method, callData: encodeFunctionData({ abi: router, functionName: method, args }) };
  }
  const method = 'placeDeferredLimitSell';
  const args = [address, quantity, price, DAY, deadline] as const;
  return { method, callData: encodeFunctionData({ abi: router, functionName: method, args }) };
};

/** Encodes the router call of an order: a buy is positive, a sell negative; all amounts in 10⁻¹⁸. */
const callOf = (terms: OrderTerms): RouterCall => {
  const { stock, type, side, quantity, notional, price, deadline } = terms;
  const address = stock.address as Hex;
  if (terms.deferred) return deferredCall(terms);
  if (type === 'Market') {
    const method = 'placeMarketOrder';
    const args = [address, side === 'Buy' ? notional : -quantity, deadline] as const;
    return { method, callData: encodeFunctionData({ abi: router, functionName: method, args }) };
  }
  const method = 'placeLimitOrder';
  const args = [address, side === 'Buy' ? quantity : -quantity, price, DAY, deadline] as const;
  return { method, callData: encodeFunctionData({ abi: router, functionName: method, args }) };
};

/** Compares the response of `/orders/calldata` with the encoded terms of the order. */
export const calldataDifferences = (data: unknown, terms: OrderTerms): readonly string[] => {
  const { chainId, productType, toAddress, value, callData, method } = data as Record<string, unknown>;
  const expected = callOf(terms);
  return [
    ...(chainId === 143 && productType === 'ProductA' ? [] : ['calldata for another chain or product']),
    ...(typeof toAddress === 'string' && /^0x[0-9a-fA-F]{40}$/.test(toAddress)
      ? []
      : ['toAddress is no address']),
    ...(value === '0' ? [] : [`value is ${String(value)} instead of the string zero`]),
    ...(method === expected.method ? [] : [`method is ${String(method)}, expected ${expected.method}`]),
    ...(String(callData).toLowerCase() === expected.callData.toLowerCase()
      ? []
      : [`callData is ${String(callData)}, expected ${expected.callData}`]),
  ];
};
