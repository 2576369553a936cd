import { formatUsdExactly } from './formatUsd.ts';

/** Why a figure is a lower bound, and what is probably missing; for people. `usd` is null where the price is not known. */
export function unreportedText({ answers, outputTokens, usd }: { readonly answers: number; readonly outputTokens: number; readonly usd: number | null }): string {
  const which = answers === 1 ? 'One answer broke off' : `${answers} answers broke off`;
  const price = usd === null ? '' : `, about ${formatUsdExactly(usd)}`;
  const beyond = outputTokens > 0 ? ` By what had come, some ${outputTokens.toLocaleString('en')} output tokens are missing${price}.` : '';
  return `${which} before the server said what was used, so this is the least it has cost.${beyond}`;
}
