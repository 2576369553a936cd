/** So many percent of an amount in cents, rounded to whole cents. */
export function percentOf(/** @type {number} */ cents, /** @type {number} */ percent) {
  return Math.round((cents * percent) / 100);
}

/** An amount in cents as people read it: 1250 -> "12.50". */
export function formatMoney(/** @type {number} */ cents) {
  return (cents / 100).toFixed(2);
}
