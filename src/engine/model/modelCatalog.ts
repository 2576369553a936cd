import { DEMO_MODEL } from '../cost/priceRows.ts';

/** What a model can take and give, in tokens. */
export interface ModelInfo {
  readonly id: string;
  readonly label: string;
  readonly contextWindow: number;
  readonly maxOutput: number;
}

const million = 1_000_000;

/**
 * Windows and output limits as published on the Claude models overview (read November 2026). Newest first within a
 * family; the first of a family is what its alias means.
 */
export const MODELS: readonly ModelInfo[] = [
  { id: 'claude-sonnet-5-5', label: 'Sonnet 5.5', contextWindow: million, maxOutput: 128_000 },
  { id: 'claude-opus-5-5', label: 'Opus 5.5', contextWindow: million, maxOutput: 128_000 },
  { id: 'claude-haiku-5-5', label: 'Haiku 5.5', contextWindow: million, maxOutput: 128_000 },
  { id: 'claude-fable-5-2', label: 'Fable 5.2', contextWindow: million, maxOutput: 128_000 },
  { id: 'claude-fable-5-1', label: 'Fable 5.1', contextWindow: million, maxOutput: 128_000 },
  { id: 'claude-mythos-5-2', label: 'Mythos 5.2', contextWindow: million, maxOutput: 128_000 },
  { id: 'claude-mythos-5-1', label: 'Mythos 5.1', contextWindow: million, maxOutput: 128_000 },
  { id: 'claude-sonnet-5', label: 'Sonnet 5', contextWindow: million, maxOutput: 128_000 },
  { id: 'claude-opus-5', label: 'Opus 5', contextWindow: million, maxOutput: 128_000 },
  { id: 'claude-fable-5', label: 'Fable 5', contextWindow: million, maxOutput: 128_000 },
  { id: 'claude-mythos-5', label: 'Mythos 5', contextWindow: million, maxOutput: 128_000 },
  { id: 'claude-opus-4-8', label: 'Opus 4.8', contextWindow: million, maxOutput: 128_000 },
  { id: 'claude-opus-4-7', label: 'Opus 4.7', contextWindow: million, maxOutput: 128_000 },
  { id: 'claude-opus-4-6', label: 'Opus 4.6', contextWindow: million, maxOutput: 128_000 },
  { id: 'claude-sonnet-4-6', label: 'Sonnet 4.6', contextWindow: million, maxOutput: 64_000 },
  { id: 'claude-opus-4-5', label: 'Opus 4.5', contextWindow: 200_000, maxOutput: 64_000 },
  { id: 'claude-sonnet-4-5', label: 'Sonnet 4.5', contextWindow: 200_000, maxOutput: 64_000 },
  { id: 'claude-haiku-4-5', label: 'Haiku 4.5', contextWindow: 200_000, maxOutput: 64_000 },
];

export const DEFAULT_MODEL = 'claude-sonnet-5-5';
/** Defined with its price, which is a pretended one. */
export { DEMO_MODEL };

const demo: ModelInfo = { id: DEMO_MODEL, label: 'Demo model', contextWindow: 200_000, maxOutput: 32_000 };

/** For a model that is not in the table: the smallest window still in service, so that nothing overflows by surprise. */
const cautious = { contextWindow: 200_000, maxOutput: 32_000 };

const aliases: { readonly [alias: string]: string } = {
  sonnet: 'claude-sonnet-5-5',
  opus: 'claude-opus-5-5',
  haiku: 'claude-haiku-5-5',
  fable: 'claude-fable-5-2',
};

/** The id for an alias (`opus`, `sonnet[1m]` …) or an id; unknown names are passed on as they are. */
export function resolveModel(name: string): string {
  const plain = name.trim().replace(/\[1m\]$/i, '');
  return aliases[plain.toLowerCase()] ?? plain;
}

/** Dated ids (`claude-haiku-4-5-20251001`) have the limits of their undated name. */
export function modelInfo(id: string): ModelInfo {
  if (id === DEMO_MODEL) return demo;
  const undated = id.replace(/-\d{8}$/, '');
  return MODELS.find((model) => model.id === undated) ?? { id, label: id, ...cautious };
}
