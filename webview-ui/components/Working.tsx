import { useState } from 'preact/hooks';
import { formatDuration } from '../text/format.ts';
import { useNow } from './useNow.ts';

/** Seconds after which the time is worth showing. */
const showTimeAfterMs = 3000;

/** Says that a turn runs, in a place that does not move while the answer grows. */
export function Working() {
  const [since] = useState(Date.now);
  const elapsed = useNow(1000) - since;
  return (
    <p class="working">
      <span class="working-dot" aria-hidden="true" />
      <span class="live-words">Working…</span>
      {elapsed >= showTimeAfterMs && <span class="working-time">{formatDuration(Math.floor(elapsed / 1000) * 1000).replace('.0', '')}</span>}
      <span class="working-hint">Esc stops</span>
    </p>
  );
}
