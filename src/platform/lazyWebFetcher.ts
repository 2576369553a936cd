import type { WebFetcher } from '../engine/ports.ts';
import type { WebFetcherOptions } from './nodeWebFetcher.ts';

/** Loads what fetching needs with the first page: most sessions fetch none. */
export function lazyWebFetcher(options: WebFetcherOptions): WebFetcher {
  let loading: Promise<WebFetcher> | undefined;
  return {
    async fetch(url, signal) {
      loading ??= import('./nodeWebFetcher.ts').then(({ createWebFetcher }) => createWebFetcher(options));
      return (await loading).fetch(url, signal);
    },
  };
}
