/** Pure: the address when it may be opened outside (http, https, mailto), else undefined. */
export function safeLink(href: string): string | undefined {
  let url: URL;
  try {
    url = new URL(href);
  } catch {
    return undefined;
  }
  return url.protocol === 'http:' || url.protocol === 'https:' || url.protocol === 'mailto:' ? href : undefined;
}
