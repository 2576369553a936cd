import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mcpConfigs } from '../../../src/cli/mcpConfigs.ts';

describe('--mcp-config', () => {
  it('takes files and JSON, of one name the last', () => {
    const folder = mkdtempSync(join(tmpdir(), 'turnstone-mcp-'));
    try {
      writeFileSync(join(folder, 'a.json'), '{"mcpServers": {"a": {"command": "one"}, "b": {"command": "two"}}}');
      assert.deepEqual(mcpConfigs([join(folder, 'a.json'), ' {"mcpServers": {"b": {"command": "three"}}}'])?.servers?.(), { a: { command: 'one' }, b: { command: 'three' } });
    } finally {
      rmSync(folder, { recursive: true });
    }
    assert.equal(mcpConfigs([]), undefined);
  });

  it('says what is wrong with others', () => {
    assert.throws(() => mcpConfigs(['/no/such/file.json']), /could not be read, so nothing was sent: .*ENOENT/);
    assert.throws(() => mcpConfigs(['{"servers": {}}']), /of the form/);
  });
});
