/** "4.2 s", "0 s"; what was something but rounds to nothing is "under 0.1 s". Takes milliseconds. */
export function formatSeconds(ms: number): string {
  if (ms > 0 && ms < 50) return 'under 0.1 s';
  return `${(ms / 1000).toLocaleString('en', { maximumFractionDigits: 1 })} s`;
}
