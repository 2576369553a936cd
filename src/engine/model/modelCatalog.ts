import type { Effort } from '../../protocol/reasoning.ts';
import { DEMO_MODEL } from '../../base/demoModel.ts';

/** What a model can take and give, in tokens. */
export interface ModelInfo {
  readonly id: string;
  readonly label: string;
  readonly contextWindow: number;
  readonly maxOutput: number;
  /** How thinking is asked for: a budget of tokens, left to the model (`adaptive`), either, or not at all. */
  readonly thinking: 'none' | 'budget' | 'either' | 'adaptive';
  /** Levels of `output_config.effort` that it takes, lowest first; empty: it takes none. */
  readonly efforts: readonly Effort[];
}

const million = 1_000_000;

const allEfforts: readonly Effort[] = ['low', 'medium', 'high', 'max'];
/** 5.x and Opus from 4.7 on refuse `enabled` with a budget (Claude docs on thinking, November 2026). */
const modern = { contextWindow: million, maxOutput: 128_000, thinking: 'adaptive', efforts: allEfforts } as const;
/** 4.6 takes both; the SDK warns that a budget is deprecated there. */
const between = { contextWindow: million, thinking: 'either', efforts: allEfforts } as const;
/** 4.5 knows budgets only; of that family Opus alone takes an effort, up to high (Claude docs on effort). */
const older = { contextWindow: 200_000, maxOutput: 64_000, thinking: 'budget' } as const;

/**
 * Windows and output limits as published on the Claude models overview (read November 2026). Newest first within a
 * family; the first of a family is what its alias means.
 */
export const MODELS: readonly ModelInfo[] = [
  { id: 'claude-sonnet-5-5', label: 'Sonnet 5.5', ...modern },
  { id: 'claude-opus-5-5', label: 'Opus 5.5', ...modern },
  { id: 'claude-haiku-5-5', label: 'Haiku 5.5', ...modern },
  { id: 'claude-fable-5-2', label: 'Fable 5.2', ...modern },
  { id: 'claude-fable-5-1', label: 'Fable 5.1', ...modern },
  { id: 'claude-mythos-5-2', label: 'Mythos 5.2', ...modern },
  { id: 'claude-mythos-5-1', label: 'Mythos 5.1', ...modern },
  { id: 'claude-sonnet-5', label: 'Sonnet 5', ...modern },
  { id: 'claude-opus-5', label: 'Opus 5', ...modern },
  { id: 'claude-fable-5', label: 'Fable 5', ...modern },
  { id: 'claude-mythos-5', label: 'Mythos 5', ...modern },
  { id: 'claude-opus-4-8', label: 'Opus 4.8', ...modern },
  { id: 'claude-opus-4-7', label: 'Opus 4.7', ...modern },
  { id: 'claude-opus-4-6', label: 'Opus 4.6', maxOutput: 128_000, ...between },
  { id: 'claude-sonnet-4-6', label: 'Sonnet 4.6', maxOutput: 64_000, ...between },
  { id: 'claude-opus-4-5', label: 'Opus 4.5', efforts: ['low', 'medium', 'high'], ...older },
  { id: 'claude-sonnet-4-5', label: 'Sonnet 4.5', efforts: [], ...older },
  { id: 'claude-haiku-4-5', label: 'Haiku 4.5', efforts: [], ...older },
];

export const DEFAULT_MODEL = 'claude-sonnet-5-5';

const demo: ModelInfo = { id: DEMO_MODEL, label: 'Demo model', contextWindow: 200_000, maxOutput: 32_000, thinking: 'none', efforts: [] };

/** For a model that is not in the table: the smallest window still in service, so that nothing overflows by surprise. */
const cautious = { contextWindow: 200_000, maxOutput: 32_000, thinking: 'none', efforts: [] } as const;

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
  const undated = undatedModel(id);
  return MODELS.find((model) => model.id === undated) ?? { id, label: id, ...cautious };
}

/** An answer may name the dated version of the model that was asked for: both are the same model. */
export function undatedModel(id: string): string {
  return id.replace(/-\d{8}$/, '');
}

/** For titles and the like: the small model of the same provider, else the model of the session. */
export function smallModel(model: string): string {
  return model.startsWith('claude-') ? resolveModel('haiku') : model;
}
