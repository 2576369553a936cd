import { useEffect, useState } from 'preact/hooks';

/** Milliseconds in which a click or key that was meant for something else may still arrive. */
const deafMs = 500;

/** True for a moment after the component has appeared. */
export function useDeafAtFirst(): boolean {
  const [deaf, setDeaf] = useState(true);
  useEffect(() => {
    const timer = setTimeout(() => setDeaf(false), deafMs);
    return () => clearTimeout(timer);
  }, []);
  return deaf;
}
