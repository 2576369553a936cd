import assert from 'node:assert/strict';
import { newNonce, panelHtml } from '../../../src/vscode/panelHtml.ts';

const page = { cspSource: 'https://own.test', scriptUri: 'https://own.test/main.js', styleUri: 'https://own.test/main.css', iconStyleUri: 'https://own.test/codicon.css' };

describe('panelHtml', () => {
  it('lets run only the script with this page’s nonce, and loads nothing from elsewhere', () => {
    const html = panelHtml({ ...page, nonce: 'n0nce' });
    const policy = /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(html)?.[1] ?? '';
    const rules = Object.fromEntries(policy.split('; ').map((rule) => [rule.slice(0, rule.indexOf(' ')), rule.slice(rule.indexOf(' ') + 1)]));
    assert.deepEqual(rules, {
      'default-src': "'none'",
      'script-src': "'nonce-n0nce'",
      'style-src': 'https://own.test',
      'font-src': 'https://own.test',
      'img-src': 'https://own.test data:',
      'base-uri': "'none'",
      'form-action': "'none'",
    });
    assert.doesNotMatch(policy, /unsafe/);
    const scripts = html.match(/<script[^>]*>[^<]*<\/script>/g);
    assert.deepEqual(scripts, ['<script type="module" nonce="n0nce" src="https://own.test/main.js"></script>']);
    assert.doesNotMatch(html, /style=|<style|\son\w+=/);
  });

  it('never uses a nonce twice', () => {
    const nonces = new Set(Array.from({ length: 100 }, () => newNonce()));
    assert.equal(nonces.size, 100);
    for (const nonce of nonces) assert.match(nonce, /^[0-9a-f]{32}$/);
  });
});
