import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addItem, createCart, discount, total } from '../src/cart.ts';
import { formatMoney } from '../src/money.ts';

const breakfast = addItem(addItem(createCart(), 'bread', 320), 'egg', 45, 6);

test('an empty cart costs nothing', () => {
  assert.equal(total(createCart()), 0);
});

test('the total counts every piece', () => {
  assert.equal(total(breakfast), 590);
});

test('the same article is counted up', () => {
  assert.equal(addItem(breakfast, 'bread', 320).lines.length, 2);
});

test('money is shown with two decimals', () => {
  assert.equal(formatMoney(total(breakfast)), '5.90');
});

test('a discount of 10 percent leaves 90 percent to pay', () => {
  assert.equal(discount(breakfast, 10), 531);
});
