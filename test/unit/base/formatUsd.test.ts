import assert from 'node:assert/strict';
import { formatUsd, formatUsdExactly } from '../../../src/base/formatUsd.ts';

describe('formatUsd', () => {
  const cases: readonly [number | null, string][] = [
    [null, 'price unknown'],
    [0, '$0.00'],
    [0.42, '$0.42'],
    [12.345, '$12.35'],
    [0.0022192, '$0.0022'],
    [0.003, '$0.003'],
    [0.00999, '$0.01'],
    [0.0099, '$0.0099'],
    [0.00001, '$0.00001'],
    [0.0000123, '$0.000012'],
    [0.0000001, 'under $0.000001'],
  ];
  for (const [usd, text] of cases) it(`${usd} is ${text}`, () => assert.equal(formatUsd(usd), text));
});

describe('formatUsdExactly', () => {
  const cases: readonly [number | null, string][] = [
    [null, 'price unknown'],
    [0, '$0.00'],
    [0.42, '$0.42'],
    [12.5, '$12.50'],
    [0.0022192, '$0.002219'],
    [1, '$1.00'],
    [0.0000004, 'under $0.000001'],
    [0.0000006, '$0.000001'],
  ];
  for (const [usd, text] of cases) it(`${usd} is ${text}`, () => assert.equal(formatUsdExactly(usd), text));
});
