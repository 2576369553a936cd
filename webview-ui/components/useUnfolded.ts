import { useState } from 'preact/hooks';
import { usePanel } from './PanelContext.ts';

/** Whether an item shows its details: what the user last chose for it, else `byDefault`. */
export function useUnfolded(id: string, byDefault: boolean): [boolean, () => void] {
  const { unfolded } = usePanel();
  const [, redraw] = useState(0);
  const shown = unfolded.get(id) ?? byDefault;
  const toggle = (): void => {
    unfolded.set(id, !shown);
    redraw((count) => count + 1);
  };
  return [shown, toggle];
}
