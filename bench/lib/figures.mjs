export function median(numbers) {
  const sorted = numbers.filter((each) => each !== undefined).toSorted((a, b) => a - b);
  if (sorted.length === 0) return undefined;
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

export function ms(value) {
  return value === undefined ? 'not known here' : `${value < 10 ? value.toFixed(1) : value.toFixed(0)} ms`;
}

export function times(value, base) {
  return value === undefined || base === undefined ? 'not known here' : `${(value / base).toFixed(2)} ×`;
}

export function kilobytes(bytes) {
  return `${(bytes / 1000).toFixed(0)} kB`;
}

/** Rows of [what, figure, beside it, target] as an aligned table. */
export function table(rows) {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  const line = (row) => row.map((cell, column) => cell.padEnd(widths[column])).join('  ').trimEnd();
  return [line(rows[0]), widths.map((width) => '-'.repeat(width)).join('  '), ...rows.slice(1).map(line)].join('\n');
}
