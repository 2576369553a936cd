/** The demo model is run on this machine and never billed. It has a price so that the figures can be seen to move. */
export const DEMO_MODEL = 'turnstone-demo';

/** True for a model whose price is for show: nobody is billed. Say so beside it. */
export function isPretendPrice(model: string): boolean {
  return model === DEMO_MODEL;
}

/** What is to be said of a sum that these models have cost; '' where all of it is billed. */
export function billingWords(models: readonly string[]): string {
  if (!models.some(isPretendPrice)) return '';
  return models.every(isPretendPrice) ? 'not billed' : 'partly not billed';
}

/** The same as it stands behind a sum: " (not billed)". */
export function billingNote(models: readonly string[]): string {
  const words = billingWords(models);
  return words === '' ? '' : ` (${words})`;
}
