import hljs from 'highlight.js/lib/core';
import bash from 'highlight.js/lib/languages/bash';
import cpp from 'highlight.js/lib/languages/cpp';
import csharp from 'highlight.js/lib/languages/csharp';
import css from 'highlight.js/lib/languages/css';
import diff from 'highlight.js/lib/languages/diff';
import go from 'highlight.js/lib/languages/go';
import java from 'highlight.js/lib/languages/java';
import javascript from 'highlight.js/lib/languages/javascript';
import json from 'highlight.js/lib/languages/json';
import markdown from 'highlight.js/lib/languages/markdown';
import python from 'highlight.js/lib/languages/python';
import rust from 'highlight.js/lib/languages/rust';
import sql from 'highlight.js/lib/languages/sql';
import typescript from 'highlight.js/lib/languages/typescript';
import xml from 'highlight.js/lib/languages/xml';
import yaml from 'highlight.js/lib/languages/yaml';
import { CodeTree } from './codeTree.ts';
import type { CodeNode } from './codeTree.ts';

const languages = { bash, cpp, csharp, css, diff, go, java, javascript, json, markdown, python, rust, sql, typescript, xml, yaml };
for (const [name, language] of Object.entries(languages)) hljs.registerLanguage(name, language);
// A terminal session as models write it.
hljs.registerAliases(['console', 'shell', 'shellsession'], { languageName: 'bash' });
hljs.configure({ __emitter: CodeTree as never });

/** Above this many characters code stays plain: colouring it would hold up the page. */
const limit = 60_000;
const cacheSize = 100;
const cache = new Map<string, readonly CodeNode[]>();

/** The code in coloured pieces; one plain piece where the language is unknown. Remembers what it coloured last. */
export function highlight(code: string, language: string): readonly CodeNode[] {
  if (code.length > limit || !hljs.getLanguage(language)) return [code];
  const key = `${language}\n${code}`;
  const known = cache.get(key);
  if (known) return known;
  const tree: unknown = hljs.highlight(code, { language, ignoreIllegals: true })._emitter;
  const nodes = tree instanceof CodeTree ? tree.nodes : [code];
  const [oldest] = cache.keys();
  if (cache.size >= cacheSize && oldest !== undefined) cache.delete(oldest);
  cache.set(key, nodes);
  return nodes;
}
