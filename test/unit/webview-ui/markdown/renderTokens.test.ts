import assert from 'node:assert/strict';
import type { ComponentChild, VNode } from 'preact';
import { lexMarkdown } from '../../../../webview-ui/markdown/incrementalMarkdown.ts';
import { renderTokens } from '../../../../webview-ui/markdown/renderTokens.ts';
import type { MarkdownParts } from '../../../../webview-ui/markdown/renderTokens.ts';

const parts: MarkdownParts = { CodeBlock: () => null, Link: () => null };

describe('renderTokens', () => {
  const table = [
    ['**b** *i* ~~d~~ `<c>`', '<p><strong>b</strong> <em>i</em> <del>d</del> <code>{<c>}</code></p>'],
    ['a &amp; b &lt;x&gt; &copy; &#65; &#x1F600; &nope; \\*', '<p>a & b {<x>} © A 😀 &nope; *</p>'],
    ['<script>alert(1)</script>', '<p class="md-html">{<script>alert(1)</script>}</p>'],
    ['a <img src=x onerror=alert(1)> b', '<p>a {<img src=x onerror=alert(1)>} b</p>'],
    ['[ok](https://x.org "T") [m](mailto:a@b.c)', '<p><Link href="https://x.org" title="T">ok</Link> <Link href="mailto:a@b.c">m</Link></p>'],
    ['[bad](javascript:alert(1)) [v](vscode://x/y) [f](src/cart.ts)', '<p><span title="javascript:alert(1)">bad</span> <span title="vscode://x/y">v</span> <span title="src/cart.ts">f</span></p>'],
    ['[sly](java&#115;cript:alert(1))', '<p><span title="java&#115;cript:alert(1)">sly</span></p>'],
    ['![picture](https://x.org/p.png)', '<p><Link href="https://x.org/p.png">picture</Link></p>'],
    ['3. a\n4. b', '<ol start="3"><li>a</li><li>b</li></ol>'],
    ['```ts title="x"\nlet a;\n```', '<CodeBlock code="let a;" language="ts" open="false"></CodeBlock>'],
    ['```ts\nlet a;', '<CodeBlock code="let a;" language="ts" open="true"></CodeBlock>'],
    ['    indented', '<CodeBlock code="indented" language="" open="false"></CodeBlock>'],
    ['[a][r]\n\n[r]: https://x.org', '<p><Link href="https://x.org">a</Link></p>'],
    ['# H\n---\n> q', '<h1>H</h1><hr></hr><blockquote><p>q</p></blockquote>'],
  ] as const;
  for (const [markdown, expected] of table) {
    it(JSON.stringify(markdown), () => assert.equal(write(renderTokens(lexMarkdown(markdown), parts)), expected));
  }
});

/** Elements as text; text that contains markup stands in braces, so that it cannot be taken for an element. */
function write(child: ComponentChild): string {
  if (Array.isArray(child)) return child.map(write).join('');
  if (child === null || child === undefined || typeof child === 'boolean') return '';
  if (typeof child !== 'object') return /<.*>/.test(String(child)) ? wrapMarkup(String(child)) : String(child);
  const { type, props } = child as VNode<{ children?: ComponentChild; [name: string]: unknown }>;
  const { children, ...rest } = props;
  const content = write(children);
  if (typeof type === 'function' && type !== parts.CodeBlock && type !== parts.Link) return content;
  const name = type === parts.CodeBlock ? 'CodeBlock' : type === parts.Link ? 'Link' : String(type);
  const attributes = Object.entries(rest).flatMap(([key, value]) => (value === undefined ? [] : [` ${key}="${String(value)}"`]));
  return `<${name}${attributes.join('')}>${content}</${name}>`;
}

function wrapMarkup(text: string): string {
  return text.replace(/<.*>/s, (markup) => `{${markup}}`);
}
