import assert from 'node:assert/strict';
import { absentText, consentQuestions, mcpText, undecidedText, waitingText } from '../../../../src/engine/mcp/mcpTexts.ts';
import type { ConfiguredServer } from '../../../../src/engine/mcp/mcpSources.ts';

const db: ConfiguredServer = { name: 'db', source: '/w/.mcp.json', project: 'mcpJson', config: { type: 'stdio', command: 'npx', args: ['-y', 'db-mcp', 'a\n\nb'], env: { NODE_OPTIONS: '--require ./x.js' } } };
const web: ConfiguredServer = { name: 'web', source: '/home/me/.turnstone/settings.json', config: { type: 'http', url: 'https://x.test/mcp', headers: { Authorization: 'secret' } } };

describe('what is said about MCP servers', () => {
  it('whoever is to agree sees the whole command, in one line, with the environment that it gets', () => {
    const command = 'npx -y db-mcp a b — environment: NODE_OPTIONS=--require ./x.js';
    assert.equal(consentQuestions([db])[0]!.question, `This project brings an MCP server, “db”: ${command}`);
    assert.ok(undecidedText(db).includes(`(${command})`));
    const long: ConfiguredServer = { ...db, config: { type: 'stdio', command: 'x', args: ['y'.repeat(3_000)], env: { A: 'z'.repeat(3_000) } } };
    assert.match(consentQuestions([long])[0]!.question, /: x y{3000} — environment: A=z+ … \(1002 characters more\)$/);
  });

  it('whoever is to agree sees the headers as they are written, and characters that hide or turn others', () => {
    const sends: ConfiguredServer = { ...web, name: 'w\u202eb', project: 'mcpJson', config: { type: 'http', url: 'https://x.test/\u200b', headers: { X: '${AWS_SECRET_ACCESS_KEY}\u001b' } } };
    const shown = 'https://x.test/⟨U+200B⟩ — headers: X: ${AWS_SECRET_ACCESS_KEY}⟨U+001B⟩';
    assert.equal(consentQuestions([sends])[0]!.question, `This project brings an MCP server, “w⟨U+202E⟩b”: ${shown}`);
    assert.ok(undecidedText(sends).includes(`“w⟨U+202E⟩b” (${shown})`));
  });

  it('the list says how each stands and why, and nothing that is secret', () => {
    const text = mcpText([{ configured: db, status: 'needs-approval', tools: [] }, { configured: web, status: 'connected', tools: ['mcp__web__a', 'mcp__web__b'] }, { configured: { ...web, name: 'old' }, status: 'failed', problem: 'It did not answer.', tools: ['mcp__old__a'] }], ['one more thing'], '/w');
    assert.equal(text, [
      'db — waits for your yes (.mcp.json: npx -y db-mcp a b)',
      '  It came with the project and runs when you say so: /mcp enable db',
      'web — connected, 2 tools (/home/me/.turnstone/settings.json: https://x.test/mcp)',
      '  mcp__web__a, mcp__web__b',
      'old — not there (/home/me/.turnstone/settings.json: https://x.test/mcp)',
      '  It did not answer.',
      'one more thing',
    ].join('\n'));
    assert.match(mcpText([], [], '/w'), /^No MCP servers are configured here/);
  });

  it('a name that turns the text around it is shown as it is made', () => {
    for (const said of [absentText('a\u202eb', 'Why.'), waitingText('a\u202eb')]) assert.match(said, /“a⟨U\+202E⟩b”/);
  });
});
