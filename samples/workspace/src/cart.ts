import { percentOf } from './money.ts';

/**
 * @typedef {{ name: string, price: number, quantity: number }} Line  price in cents
 * @typedef {{ lines: Line[] }} Cart
 */

/** @returns {Cart} */
export function createCart() {
  return { lines: [] };
}

/** Returns a new cart: the same article at the same price is counted up, anything else gets a line of its own. */
export function addItem(/** @type {Cart} */ cart, /** @type {string} */ name, /** @type {number} */ price, quantity = 1) {
  const known = cart.lines.find((line) => line.name === name && line.price === price);
  if (!known) {
    return { lines: [...cart.lines, { name, price, quantity }] };
  }
  return { lines: cart.lines.map((line) => (line === known ? { ...line, quantity: line.quantity + quantity } : line)) };
}

/** What the whole cart costs, in cents. */
export function total(/** @type {Cart} */ cart) {
  return cart.lines.reduce((cents, line) => cents + line.price * line.quantity, 0);
}

/** What is left to pay, in cents, after a discount of so many percent. */
export function discount(/** @type {Cart} */ cart, /** @type {number} */ percent) {
  return percentOf(total(cart), percent);
}
