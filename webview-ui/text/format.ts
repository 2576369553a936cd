import { DEMO_MODEL } from '../../src/base/demoModel.ts';
import { formatUsdExactly } from '../../src/base/formatUsd.ts';
import { unreportedText } from '../../src/base/unreportedText.ts';
import type { TurnItem } from '../../src/protocol/chatView.ts';

/** Pure: "4.2 s", "1 min 5 s". Takes milliseconds. */
export function formatDuration(ms: number): string {
  if (ms > 0 && ms < 50) return 'under 0.1 s';
  const seconds = ms / 1000;
  if (seconds < 9.95) return `${seconds.toFixed(1)} s`;
  if (seconds < 59.5) return `${Math.round(seconds)} s`;
  const whole = Math.round(seconds);
  const minutes = Math.floor(whole / 60);
  if (minutes < 60) return `${minutes} min ${whole % 60} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** Pure: "310", "1.2k", "2.4M". */
export function formatTokens(count: number): string {
  if (count < 1000) return String(count);
  if (count < 999_500) return `${trimZero((count / 1000).toFixed(count < 99_950 ? 1 : 0))}k`;
  return `${trimZero((count / 1_000_000).toFixed(1))}M`;
}

/** Pure: where a turn's tokens came from and went, for the hover. */
export function turnDetails({ costUsd, isPretend, unreported, inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, speed }: Pick<TurnItem, 'costUsd' | 'isPretend' | 'unreported' | 'inputTokens' | 'outputTokens' | 'cacheReadTokens' | 'cacheWriteTokens' | 'speed'>): string {
  const share = inputTokens > 0 ? ` (${Math.round((cacheReadTokens / inputTokens) * 100)} %)` : '';
  const fresh = Math.max(0, inputTokens - cacheReadTokens - cacheWriteTokens);
  const count = (tokens: number): string => tokens.toLocaleString('en');
  return [
    `This turn: ${unreported ? '≥ ' : ''}${formatUsdExactly(costUsd)}${isPretend ? ' (the demo: nobody is billed)' : ''}`,
    ...(unreported ? [unreportedText(unreported)] : []),
    `Prompts: ${count(inputTokens)} tokens, of these ${count(cacheReadTokens)}${share} from the cache, ${count(cacheWriteTokens)} written to it, ${count(fresh)} new`,
    `Answers: ${count(outputTokens)} tokens${typeof speed?.output_tokens_per_second === 'number' ? `, ${Math.round(speed.output_tokens_per_second)} a second` : ''}`,
    ...(typeof speed?.time_to_first_token_ms === 'number' ? [`First words after ${formatDuration(speed.time_to_first_token_ms)}`] : []),
    '/cost shows the whole session',
  ].join('\n');
}

/** Pure: "just now", "5 min ago", "yesterday", "12 Nov". Times in milliseconds since 1970. */
export function formatAge(then: number, now: number): string {
  const minutes = Math.floor((now - then) / 60_000);
  if (!Number.isFinite(minutes)) return '';
  if (minutes < 1) return 'just now';
  if (minutes < 60) return `${minutes} min ago`;
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return `${hours} h ago`;
  const days = Math.floor(hours / 24);
  if (days === 1) return 'yesterday';
  if (days < 7) return `${days} days ago`;
  const date = new Date(then);
  const sameYear = date.getFullYear() === new Date(now).getFullYear();
  return date.toLocaleDateString('en-GB', { day: 'numeric', month: 'short', ...(sameYear ? {} : { year: 'numeric' }) });
}

/** Pure: "claude-sonnet-4-5-20250929" → "Sonnet 4.5"; ids of other shapes stay as they are. */
export function modelLabel(id: string): string {
  if (id === DEMO_MODEL) return 'Demo model';
  const parts = /^claude-([a-z]+)-(\d+)(?:-(\d{1,2}))?(?:-\d{8})?(\[1m\])?$/.exec(id);
  const [, family, major, minor, wide] = parts ?? [];
  if (!family || !major) return id;
  const version = minor ? `${major}.${minor}` : major;
  return `${family[0]?.toUpperCase()}${family.slice(1)} ${version}${wide ? ' · 1M' : ''}`;
}

/** Pure: "1 file", "3 files". */
export function countOf(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

function trimZero(number: string): string {
  return number.replace(/\.0$/, '');
}
