/** "$0.42"; below a cent two useful digits: "$0.0022". null is "price unknown". */
export function formatUsd(usd: number | null): string {
  if (usd === null) return 'price unknown';
  if (usd <= 0) return '$0.00';
  if (usd < 0.000001) return 'under $0.000001';
  const rounded = usd < 0.01 ? Number(usd.toPrecision(2)) : usd;
  if (rounded >= 0.01) return `$${rounded.toFixed(2)}`;
  const decimals = 1 - Math.floor(Math.log10(rounded));
  return `$${rounded.toFixed(decimals).replace(/0+$/, '')}`;
}

/** The same where it is the least that it may be: "≥ $0.42". */
export function formatLeastUsd(usd: number | null): string {
  return usd === null ? formatUsd(usd) : `≥ ${formatUsd(usd)}`;
}

/** To a millionth: "$0.42", "$0.002219". Figures that shall add up before the reader's eyes. null is "price unknown". */
export function formatUsdExactly(usd: number | null): string {
  if (usd === null || usd < 0.0000005) return formatUsd(usd);
  return `$${usd.toFixed(6).replace(/0{1,4}$/, '')}`;
}
