import type { MarkedToken, Token, Tokens } from 'marked';
import { Fragment, h } from 'preact';
import type { ComponentChild, ComponentType } from 'preact';
import { assertNever } from '../../src/base/assertNever.ts';
import { decodeEntities } from './decodeEntities.ts';
import { safeLink } from './links.ts';

/** The two things in a text that do something. */
export interface MarkdownParts {
  readonly CodeBlock: ComponentType<{ code: string; language: string; open?: boolean }>;
  readonly Link: ComponentType<{ href: string; title?: string | undefined; children?: ComponentChild }>;
}

/** Pure: tokens → elements. Never HTML: what the model writes as HTML is shown as the text it is. */
export function renderTokens(tokens: readonly Token[], parts: MarkdownParts): ComponentChild[] {
  return tokens.map((token, index) => h(Fragment, { key: index }, renderToken(token as MarkedToken, parts)));
}

function renderToken(token: MarkedToken, parts: MarkdownParts): ComponentChild {
  switch (token.type) {
    case 'space':
    case 'def':
      return null;
    case 'paragraph':
      return h('p', null, inner(token, parts));
    case 'heading':
      return h(`h${Math.min(6, token.depth)}`, null, inner(token, parts));
    case 'code':
      return h(parts.CodeBlock, { code: token.text, language: languageOf(token), open: isOpenFence(token) });
    case 'blockquote':
      return h('blockquote', null, inner(token, parts));
    case 'list':
      return renderList(token, parts);
    case 'table':
      return renderTable(token, parts);
    case 'hr':
      return h('hr', null);
    case 'html':
      return token.block ? h('p', { class: 'md-html' }, token.text.trimEnd()) : token.text;
    case 'list_item':
      return h('li', null, inner(token, parts));
    default:
      return renderInline(token, parts);
  }
}

type InlineToken = Exclude<MarkedToken, { type: 'space' | 'def' | 'paragraph' | 'heading' | 'code' | 'blockquote' | 'list' | 'table' | 'hr' | 'html' | 'list_item' }>;

function renderInline(token: InlineToken, parts: MarkdownParts): ComponentChild {
  switch (token.type) {
    case 'text':
      return 'tokens' in token && token.tokens ? inner(token, parts) : decodeEntities(token.text);
    case 'escape':
      return token.text;
    case 'strong':
      return h('strong', null, inner(token, parts));
    case 'em':
      return h('em', null, inner(token, parts));
    case 'del':
      return h('del', null, inner(token, parts));
    case 'codespan':
      return h('code', null, token.text);
    case 'br':
      return h('br', null);
    case 'link':
      return renderLink(token, parts);
    case 'image':
      // Nothing is loaded from elsewhere into the panel: a picture is a link to it.
      return renderLink({ ...token, tokens: [], text: token.text || token.href }, parts);
    case 'checkbox':
      return h('span', { class: `codicon codicon-${token.checked ? 'pass-filled' : 'circle-large'} md-check`, role: 'img', 'aria-label': token.checked ? 'done' : 'not done' });
    default:
      return assertNever(token, 'Markdown token');
  }
}

function renderLink(token: { href: string; title?: string | null | undefined; text: string; tokens?: Token[] | undefined }, parts: MarkdownParts): ComponentChild {
  const content = token.tokens && token.tokens.length > 0 ? renderTokens(token.tokens, parts) : decodeEntities(token.text);
  const href = safeLink(decodeEntities(token.href));
  return href === undefined ? h('span', { title: token.href }, content) : h(parts.Link, { href, title: token.title ?? undefined }, content);
}

function renderList(token: Tokens.List, parts: MarkdownParts): ComponentChild {
  const items = token.items.map((item, index) => h('li', { key: index, class: item.task ? 'md-task' : undefined }, renderTokens(item.tokens, parts)));
  return token.ordered ? h('ol', { start: token.start === '' ? 1 : token.start }, items) : h('ul', null, items);
}

function renderTable(token: Tokens.Table, parts: MarkdownParts): ComponentChild {
  const row = (cells: readonly Tokens.TableCell[], tag: 'th' | 'td'): ComponentChild[] =>
    cells.map((cell, index) => h(tag, { key: index, class: cell.align ? `md-${cell.align}` : undefined }, renderTokens(cell.tokens, parts)));
  return h(
    'div',
    { class: 'md-table', tabIndex: 0, role: 'region', 'aria-label': 'Table' },
    h('table', null, [
      h('thead', { key: 'head' }, h('tr', null, row(token.header, 'th'))),
      h('tbody', { key: 'body' }, token.rows.map((cells, index) => h('tr', { key: index }, row(cells, 'td')))),
    ]),
  );
}

function inner(token: { tokens?: Token[] | undefined; text?: string | undefined }, parts: MarkdownParts): ComponentChild {
  return token.tokens ? renderTokens(token.tokens, parts) : decodeEntities(token.text ?? '');
}

function languageOf(token: Tokens.Code): string {
  return (token.lang ?? '').trim().split(/[\s,{]/, 1)[0]?.toLowerCase() ?? '';
}

/** The closing fence has not come yet. */
function isOpenFence(token: Tokens.Code): boolean {
  const fence = /^ {0,3}(`{3,}|~{3,})/.exec(token.raw)?.[1];
  if (fence === undefined) return false;
  const raw = token.raw.trimEnd();
  const lastLine = raw.lastIndexOf('\n');
  return lastLine < 0 || !raw.slice(lastLine + 1).trimStart().startsWith(fence);
}
