import assert from 'node:assert/strict';
import { findUnknownCommand, nearestName } from '../../../../src/engine/commands/unknownCommand.ts';
import { nodeFileSystem } from '../../../../src/platform/nodeFileSystem.ts';

const names = ['clear', 'compact', 'model', 'cost', 'context', 'resume', 'rewind', 'fork', 'help', 'gsd:quick'];

describe('A command that is not there', () => {
  const find = (prompt: string) => findUnknownCommand(prompt, names, nodeFileSystem);

  it('is told with the one that was probably meant, and what stands behind it is kept', async () => {
    assert.deepEqual(await find('/cots'), { name: 'cots', text: 'There is no command /cots, so nothing was sent. Did you mean /cost?', instead: '/cost' });
    assert.equal((await find('/modle opus\nplease'))?.instead, '/model opus\nplease');
    assert.deepEqual(await find('/nonsense here'), { name: 'nonsense', text: 'There is no command /nonsense, so nothing was sent. /help lists the commands.', instead: undefined });
  });

  it('is nothing that may be meant as it stands', async () => {
    const meant = ['/cost', '/gsd:quick now', '/etc/hosts is odd', '/tmp is full', '/usr', '/robots.txt gives 404', '/* a comment */', '//', '/', '/ 2', ' /cots', '\n/cots', 'see /cots', '/ünder', ''];
    for (const prompt of meant) assert.equal(await find(prompt), undefined, prompt);
  });

  it('suggests only what is near', () => {
    const typed = { cots: 'cost', hlep: 'help', MODEL: 'model', comp: 'compact', modell: 'model', rewnd: 'rewind', con: 'context', re: undefined, foo: undefined, x: undefined, fo: 'fork', deploy: undefined };
    assert.deepEqual(Object.fromEntries(Object.keys(typed).map((word) => [word, nearestName(word, names)])), typed);
  });
});
