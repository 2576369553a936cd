import * as z from 'zod';
import type { AnswerSpeed, ModelUsage, UnreportedUse, Usage } from '../../protocol/usage.ts';
import { answerSpeed } from './answerSpeed.ts';
import type { AnswerTiming } from './answerSpeed.ts';
import { costPurposes } from './costSummary.ts';
import type { CostLine, CostPurpose, CostSummary, InheritedCost } from './costSummary.ts';
import { addAmounts, addUsd, chargesOf, costOf, noAmounts, roundedSum, totalUsd } from './charges.ts';
import type { Amounts, Charge } from './charges.ts';
import { PRICE_ROWS } from './priceRows.ts';
import type { PriceRow } from './priceRows.ts';
import { addUnreported, useBeyond } from './unreportedUse.ts';
import type { AnswerUse } from './unreportedUse.ts';

/** One API message, or one attempt that failed after it had reported usage. */
export interface CostEntry extends AnswerUse {
  /** The API message's id; for an attempt without one, a key of its own. The same id again replaces what was said before. */
  readonly messageId: string;
  readonly timing?: AnswerTiming | undefined;
  /** Default: `answer`. */
  readonly purpose?: CostPurpose | undefined;
  /** Left out where the usage is final. `streaming`: more will be told. `cut`: the answer broke off, and nothing more comes. */
  readonly state?: 'streaming' | 'cut' | undefined;
  /** Nothing was said: the transcript will have no line of it. */
  readonly isEmpty?: boolean | undefined;
}

/** A charge that no line of an answer in the transcript says, or not yet. */
export type ChargeNote = Pick<CostEntry, 'messageId' | 'model' | 'usage' | 'state' | 'receivedTokens'> & { readonly purpose: CostPurpose };

/** Window and output limit of a model in tokens; undefined for a model that is not known. */
export type LimitsOf = (model: string) => { readonly contextWindow: number; readonly maxOutput: number } | undefined;

interface Counted {
  /** Place among all messages, from 0. */
  readonly index: number;
  readonly turn: number;
  readonly purpose: CostPurpose;
  readonly timing: AnswerTiming | undefined;
  readonly charges: readonly Charge[];
  readonly state: CostEntry['state'];
  /** Of an answer that was cut. */
  readonly beyond: UnreportedUse | undefined;
}

/**
 * What a session has cost. Invariants: every API message counts once, with the last usage it reported; what was
 * priced stays priced as it was; a model with one message of unknown price has no figure at all.
 */
export class CostTracker {
  readonly #limitsOf: LimitsOf;
  readonly #rows: readonly PriceRow[];
  readonly #messages = new Map<string, Counted>();
  /** The lines of the first `count` messages, which are not summed up anew with every answer. */
  #settled: { count: number; readonly lines: Map<string, CostLine> } | undefined;
  #restored: readonly CostLine[] = [];
  #restoredCut: Pick<SavedCost, 'cutAnswers' | 'unreported'> = {};
  /** What the session had cost when the turn before ended. USD. */
  #closedUsd: number | null = 0;
  #onCharge: ((note: ChargeNote) => void) | undefined;
  #inherited: InheritedCost | undefined;
  #turn = 0;
  #totals = noTotals;

  /** `rows`: prices, the user's own ones first. */
  constructor(limitsOf: LimitsOf, rows: readonly PriceRow[] = PRICE_ROWS) {
    this.#limitsOf = limitsOf;
    this.#rows = rows;
  }

  add(entry: CostEntry): void {
    const { messageId, model, usage, date, state, receivedTokens } = entry;
    const known = this.#messages.get(messageId);
    const purpose = entry.purpose ?? known?.purpose ?? 'answer';
    const beyond = state === 'cut' ? useBeyond(entry, this.#rows) : undefined;
    this.#set(messageId, { turn: known?.turn ?? this.#turn, purpose, timing: entry.timing ?? known?.timing, charges: chargesOf(usage, model, date, this.#rows), state, beyond });
    if (state === 'streaming' || purpose !== 'answer' || entry.isEmpty) this.#onCharge?.({ messageId, model, usage, purpose, state, receivedTokens });
  }

  /** From now on, what is charged is told as it happens: what only a later state would say must not be lost with the process. */
  noteCharges(onCharge: (note: ChargeNote) => void): void {
    this.#onCharge = onCharge;
  }

  /** An answer was taken back, and another attempt follows: it stays paid for. */
  withdraw(messageId: string): void {
    const known = this.#messages.get(messageId);
    if (known) this.#set(messageId, { ...known, purpose: 'retry' });
  }

  /** USD that such a message would cost, or null: for estimates. */
  price(usage: Usage, model: string, date: Date): number | null {
    return costOf(usage, model, date, this.#rows);
  }

  /** Milliseconds from the first attempt to the end of the answer, and of the attempt that succeeded alone. */
  addApiDuration(ms: number, msWithoutRetries: number): void {
    this.#count({ apiDurationMs: ms, apiDurationWithoutRetriesMs: msWithoutRetries });
  }

  addToolDuration(ms: number): void {
    this.#count({ toolDurationMs: ms });
  }

  /** From the prompt to the result, the user's decisions included. */
  addTurnDuration(ms: number): void {
    this.#count({ turnDurationMs: ms });
  }

  addLines(added: number, removed: number): void {
    this.#count({ linesAdded: added, linesRemoved: removed });
  }

  /** The session was forked: what its first part had cost is said, and not counted again. */
  inherit(inherited: InheritedCost): void {
    this.#inherited = inherited;
  }

  /** Starts a turn: {@link turnUsage} counts what is added from here on. */
  mark(): void {
    this.#turn += 1;
  }

  /** USD since it was called last, so that the turns add up to the session; null when either figure is not known. */
  closeTurn(): number | null {
    const { totalCostUsd } = this.summary();
    const grown = totalCostUsd === null || this.#closedUsd === null ? null : roundedSum(totalCostUsd, -this.#closedUsd);
    this.#closedUsd = totalCostUsd;
    return grown;
  }

  /** Tokens since the last mark, all models together, in the API's field names. */
  turnUsage(): Usage {
    const charges = [...this.#messages.values()].filter(({ turn }) => turn === this.#turn).flatMap((message) => message.charges);
    const sum = charges.reduce((all, { amounts }) => addAmounts(all, amounts), noAmounts);
    return {
      input_tokens: sum.input,
      output_tokens: sum.output,
      cache_creation_input_tokens: sum.cacheWrite5m + sum.cacheWrite1h,
      cache_read_input_tokens: sum.cacheRead,
      cache_creation: { ephemeral_5m_input_tokens: sum.cacheWrite5m, ephemeral_1h_input_tokens: sum.cacheWrite1h },
      server_tool_use: { web_search_requests: sum.webSearches },
    };
  }

  /** That were charged since the last mark. */
  turnModels(): string[] {
    return [...new Set([...this.#messages.values()].flatMap(({ turn, charges }) => (turn === this.#turn ? charges.map(({ model }) => model) : [])))];
  }

  /** Since the last mark; undefined where everything was told. */
  turnUnreported(): UnreportedUse | undefined {
    return [...this.#messages.values()].filter(({ turn }) => turn === this.#turn).reduce<UnreportedUse | undefined>((sum, { beyond }) => addUnreported(sum, beyond), undefined);
  }

  /** Of the answers since the last mark; those on the side don't count. */
  turnSpeed(): AnswerSpeed {
    return answerSpeed(this.#timedAnswers().filter(({ turn }) => turn === this.#turn));
  }

  /** Of the newest answer that came in this process. */
  lastSpeed(): AnswerSpeed {
    return answerSpeed(this.#timedAnswers().slice(-1));
  }

  summary(): CostSummary {
    const lines = this.#lines({ withStreaming: true });
    const unreported = this.#unreported();
    const models = [...new Set(lines.map(({ model }) => model))];
    const modelUsage = Object.fromEntries(models.map((model) => [model, this.#modelUsage(model, lines)]));
    const totalCostUsd = Object.values(modelUsage).reduce<number | null>((sum, { costUSD }) => addUsd(sum, costUSD), 0);
    return { totalCostUsd, knownCostUsd: Object.values(modelUsage).reduce((sum, { costUSD }) => roundedSum(sum, costUSD ?? 0), 0), ...this.#totals, modelUsage, lines, ...(unreported && { unreported }), inherited: this.#inherited };
  }

  /** For the session-state line; {@link restore} reads it. What streams is left out: it is counted when its end is known. */
  toJSON(): unknown {
    const counted = [...this.#messages].filter(([, { state }]) => state !== 'streaming');
    const cutAnswers = [...(this.#restoredCut.cutAnswers ?? []), ...counted.flatMap(([id, { state }]) => (state === 'cut' ? [id] : []))];
    const saved: SavedCost = { ...this.#totals, lines: this.#lines({ withStreaming: false }), cutAnswers, unreported: this.#unreported() };
    return saved;
  }

  /**
   * Takes over what a session had cost when it was saved, in place of everything counted so far. False, with nothing
   * changed, when `json` is not what {@link toJSON} made.
   */
  restore(json: unknown): boolean {
    const parsed = savedCostSchema.safeParse(json);
    if (!parsed.success) return false;
    const { lines, cutAnswers, unreported, ...totals } = parsed.data;
    this.#messages.clear();
    this.#settled = undefined;
    this.#restored = lines;
    this.#restoredCut = { cutAnswers, unreported };
    this.#totals = totals;
    return true;
  }

  #timedAnswers() {
    return [...this.#messages.values()].flatMap(({ turn, purpose, timing, charges }) =>
      purpose === 'answer' && timing ? [{ turn, ...timing, outputTokens: charges.reduce((sum, { amounts }) => sum + amounts.output, 0) }] : [],
    );
  }

  /** A clock that was set back meanwhile takes nothing away. */
  #count(more: Partial<typeof noTotals>): void {
    const added = Object.entries(more).map(([field, value]) => [field, this.#totals[field as keyof typeof noTotals] + Math.max(0, value)]);
    this.#totals = { ...this.#totals, ...Object.fromEntries(added) };
  }

  #set(messageId: string, counted: Omit<Counted, 'index'>): void {
    const index = this.#messages.get(messageId)?.index ?? this.#messages.size;
    if (this.#settled && index < this.#settled.count) this.#settled = undefined;
    this.#messages.set(messageId, { ...counted, index });
  }

  /** One line for each model and purpose, in the order in which they came up. */
  #lines({ withStreaming }: { readonly withStreaming: boolean }): CostLine[] {
    const messages = [...this.#messages.values()];
    const settled = (this.#settled ??= { count: 0, lines: new Map(this.#restored.map((line) => [keyOf(line), line])) });
    // The newest may still be told anew.
    while (settled.count < messages.length - 1 && messages[settled.count]!.state !== 'streaming') addMessage(settled.lines, messages[settled.count++]!);
    const lines = new Map(settled.lines);
    for (const message of messages.slice(settled.count)) if (withStreaming || message.state !== 'streaming') addMessage(lines, message);
    return [...lines.values()];
  }

  #unreported(): UnreportedUse | undefined {
    return [...this.#messages.values()].reduce((sum, { beyond }) => addUnreported(sum, beyond), this.#restoredCut.unreported);
  }

  #modelUsage(model: string, all: readonly CostLine[]): ModelUsage {
    const limits = this.#limitsOf(model);
    const lines = all.filter((line) => line.model === model);
    const sum = lines.reduce((amounts, line) => addAmounts(amounts, line.amounts), noAmounts);
    return {
      inputTokens: sum.input,
      outputTokens: sum.output,
      cacheReadInputTokens: sum.cacheRead,
      cacheCreation5mInputTokens: sum.cacheWrite5m,
      cacheCreation1hInputTokens: sum.cacheWrite1h,
      webSearchRequests: sum.webSearches,
      costUSD: lines.reduce<number | null>((usd, line) => addUsd(usd, line.usd && totalUsd(line.usd)), 0),
      contextWindow: limits?.contextWindow ?? 0,
      maxOutputTokens: limits?.maxOutput ?? 0,
    };
  }
}

function addMessage(lines: Map<string, CostLine>, { purpose, charges }: Counted): void {
  for (const [index, { model, amounts, usd }] of charges.entries()) {
    // A message counts as one request, of the model that it names first.
    const line = { model, purpose, requests: index === 0 ? 1 : 0, amounts, usd };
    const known = lines.get(keyOf(line));
    lines.set(keyOf(line), known ? addLine(known, line) : line);
  }
}

function keyOf({ model, purpose }: Pick<CostLine, 'model' | 'purpose'>): string {
  return `${purpose} ${model}`;
}

function addLine(a: CostLine, b: CostLine): CostLine {
  const usd = a.usd && b.usd && addAmounts(a.usd, b.usd, roundedSum);
  return { model: a.model, purpose: a.purpose, requests: a.requests + b.requests, amounts: addAmounts(a.amounts, b.amounts), usd };
}

const count = z.number().nonnegative();
const amountsSchema = z.lazy(() => z.object({ input: count, output: count, cacheWrite5m: count, cacheWrite1h: count, cacheRead: count, webSearches: count })) satisfies z.ZodType<Amounts>;

const savedCostSchema = z.lazy(() => z.object({
  apiDurationMs: count,
  apiDurationWithoutRetriesMs: count,
  toolDurationMs: count,
  turnDurationMs: count,
  linesAdded: count,
  linesRemoved: count,
  lines: z.array(
    z.object({
      model: z.string(),
      purpose: z.enum(costPurposes),
      requests: count,
      amounts: amountsSchema,
      usd: amountsSchema.nullable(),
    }),
  ),
  /** Ids of answers that are counted although their last word never came. Absent in older transcripts. */
  cutAnswers: z.array(z.string()).optional(),
  unreported: z.object({ answers: count, outputTokens: count, usd: count.nullable() }).optional(),
}));
type SavedCost = z.infer<typeof savedCostSchema>;

/** True for what {@link CostTracker.toJSON} has made. */
export function isSavedCost(json: unknown): json is Pick<SavedCost, 'cutAnswers'> {
  return savedCostSchema.safeParse(json).success;
}

const noTotals: Omit<SavedCost, 'lines' | 'cutAnswers' | 'unreported'> = { apiDurationMs: 0, apiDurationWithoutRetriesMs: 0, toolDurationMs: 0, turnDurationMs: 0, linesAdded: 0, linesRemoved: 0 };
