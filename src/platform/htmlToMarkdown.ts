import type TurndownService from 'turndown';
import { cutText } from '../base/text.ts';

export interface MarkdownPage {
  readonly title: string | undefined;
  readonly markdown: string;
}

/** What shows nothing to a reader, or nothing that can be told in text. */
const leftOut = ['script', 'style', 'noscript', 'template', 'iframe', 'title', 'meta', 'link', 'button', 'select', 'input', 'textarea', 'canvas', 'object', 'video', 'audio'] as const;

/** UTF-16 units of HTML, scripts and drawings not counted, that are converted: enough for any text, little enough not to be felt. */
const maxLength = 1_000_000;
/** Tags that are converted: their number costs more than their length. */
const maxElements = 20_000;
/** Elements in each other; deeper pages are attacks or accidents, and the DOM takes minutes for them. */
const maxDepth = 250;

/**
 * The content of a page as Markdown, links and images with whole addresses. Loaded late: a DOM is only needed when a
 * page was fetched. What is nested too deeply comes as plain text.
 */
export async function htmlToMarkdown(html: string, baseUrl: string): Promise<MarkdownPage> {
  const { default: Turndown } = await import('turndown');
  const service = new Turndown({ headingStyle: 'atx', codeBlockStyle: 'fenced', bulletListMarker: '-', emDelimiter: '*' });
  service.remove([...leftOut]);
  addLinks(service, baseUrl);
  addTables(service);
  const title = /<title[^>]*>([^<]*)<\/title>/i.exec(html.slice(0, 20_000))?.[1];
  const all = withoutBulk(html);
  const { end, isTooDeep } = measure(all);
  const body = cutText(all, end);
  const cut = end < all.length ? '\n\n(The page is longer; the rest was left out.)' : '';
  const markdown = isTooDeep ? body.replace(/<[^<>]*>/g, ' ').replace(/[ \t]+/g, ' ') : service.turndown(body);
  return { title: title && service.turndown(`<p>${title}</p>`).replaceAll('\\', ''), markdown: markdown.trim() + cut };
}

/** Without scripts, styles, drawings and comments, which are most of many pages. An unclosed one swallows the rest. */
function withoutBulk(html: string): string {
  const kept: string[] = [];
  const starts = /<(!--|(?:script|style|svg)\b)/gi;
  let from = 0;
  for (let start = starts.exec(html); start; start = starts.exec(html)) {
    kept.push(html.slice(from, start.index));
    const end = start[1] === '!--' ? /-->/g : new RegExp(`</${start[1]}[^>]*>`, 'gi');
    end.lastIndex = starts.lastIndex;
    if (!end.exec(html)) return kept.join('');
    from = starts.lastIndex = end.lastIndex;
  }
  return kept.join('') + html.slice(from);
}

/** Elements that need not be closed, so that their number says nothing about the depth. */
const unclosed = /^(?:p|li|dt|dd|tr|td|th|thead|tbody|tfoot|colgroup|option|optgroup|area|base|br|col|embed|hr|img|input|link|meta|param|source|track|wbr|html|head|body)$/i;

/** How much of a page is converted, and whether it can be. */
function measure(html: string): { readonly end: number; readonly isTooDeep: boolean } {
  let depth = 0;
  let elements = 0;
  for (const { 0: tag, 1: slash, 2: name, index } of html.matchAll(/<(\/?)([a-z][a-z0-9]*)/gi)) {
    if (index + tag.length > maxLength || ++elements > maxElements) return { end: index, isTooDeep: false };
    if (unclosed.test(name!)) continue;
    depth = slash ? Math.max(0, depth - 1) : depth + 1;
    if (depth > maxDepth) return { end: Math.min(html.length, maxLength), isTooDeep: true };
  }
  return { end: Math.min(html.length, maxLength), isTooDeep: false };
}

function addLinks(service: TurndownService, baseUrl: string): void {
  service.addRule('link', {
    filter: (node) => node.nodeName === 'A',
    replacement(content, node) {
      const target = wholeUrl((node as Element).getAttribute('href'), baseUrl);
      const text = content.trim().replace(/\s*\n\s*/g, ' ');
      return target && text ? `[${text}](${target})` : text;
    },
  });
  service.addRule('image', {
    filter: 'img',
    replacement(_content, node) {
      const alt = ((node as Element).getAttribute('alt') ?? '').replace(/\s+/g, ' ').trim();
      const source = wholeUrl((node as Element).getAttribute('src'), baseUrl);
      return alt && source ? `![${alt}](${source})` : alt;
    },
  });
}

/** undefined for places in the same page and for what is no address of the web. */
function wholeUrl(reference: string | null, baseUrl: string): string | undefined {
  if (!reference || reference.startsWith('#') || !URL.canParse(reference, baseUrl)) return undefined;
  const url = new URL(reference, baseUrl);
  return /^(https?|mailto):$/.test(url.protocol) ? url.href.replaceAll('(', '%28').replaceAll(')', '%29') : undefined;
}

function addTables(service: TurndownService): void {
  service.addRule('cell', { filter: ['th', 'td'], replacement: (content) => ` ${content.trim().replace(/\s*\n\s*/g, ' ').replaceAll('|', '\\|')} |` });
  service.addRule('row', {
    filter: 'tr',
    replacement: (content, node) => `\n|${content}${isFirstRow(node as Element) ? `\n|${' --- |'.repeat((node as Element).children.length)}` : ''}`,
  });
  service.addRule('rows', { filter: ['thead', 'tbody', 'tfoot'], replacement: (content) => content });
  service.addRule('table', { filter: 'table', replacement: (content) => `\n\n${content.trim()}\n\n` });
}

/** The line under the head belongs under the first row, whether or not it is called a head. */
function isFirstRow(row: Element): boolean {
  if (row.previousElementSibling) return false;
  const parent = row.parentNode as Element | null;
  return parent?.nodeName === 'TABLE' || !['THEAD', 'TBODY', 'TFOOT'].includes(parent?.previousElementSibling?.nodeName ?? '');
}
