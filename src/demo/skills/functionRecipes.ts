/** A function that the demo model can write for a cart of `lines`, and its test. */
export interface FunctionRecipe {
  readonly names: readonly string[];
  readonly source: (name: string) => readonly string[];
  readonly test: (name: string) => readonly string[];
}

/** Written for carts as in the sample workspace: `createCart()`, `addItem(cart, name, price, quantity)`, `cart.lines`. */
export const functionRecipes: readonly FunctionRecipe[] = [
  {
    names: ['itemCount', 'countItems', 'count'],
    source: name => [
      '/** How many pieces are in the cart. */',
      `export function ${name}(/** @type {Cart} */ cart) {`,
      '  return cart.lines.reduce((pieces, line) => pieces + line.quantity, 0);',
      '}',
    ],
    test: name => [
      `test('${name} counts every piece', () => {`,
      `  assert.equal(${name}(createCart()), 0);`,
      `  assert.equal(${name}(addItem(addItem(createCart(), 'bread', 320), 'egg', 45, 6)), 7);`,
      '});',
    ],
  },
  {
    names: ['isEmpty'],
    source: name => [
      '/** Whether nothing is in the cart. */',
      `export function ${name}(/** @type {Cart} */ cart) {`,
      '  return cart.lines.length === 0;',
      '}',
    ],
    test: name => [
      `test('${name} tells whether there is anything in the cart', () => {`,
      `  assert.equal(${name}(createCart()), true);`,
      `  assert.equal(${name}(addItem(createCart(), 'bread', 320)), false);`,
      '});',
    ],
  },
  {
    names: ['removeItem'],
    source: name => [
      '/** Returns a new cart without any line of this name. */',
      `export function ${name}(/** @type {Cart} */ cart, /** @type {string} */ name) {`,
      '  return { lines: cart.lines.filter((line) => line.name !== name) };',
      '}',
    ],
    test: name => [
      `test('${name} takes every line of that name out', () => {`,
      "  const cart = addItem(addItem(createCart(), 'bread', 320), 'egg', 45, 6);",
      `  assert.deepEqual(${name}(cart, 'bread'), addItem(createCart(), 'egg', 45, 6));`,
      '});',
    ],
  },
];
