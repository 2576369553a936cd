import assert from 'node:assert/strict';
import { ownCommand } from '../../../src/cli/ownCommand.ts';

describe('how the command line calls itself', () => {
  it('is what can be typed again here', () => {
    assert.equal(ownCommand('/usr/local/bin/turnstone', '/home/me'), 'turnstone');
    assert.equal(ownCommand('/home/me/turnstone/dist/cli.js', '/home/me/turnstone'), 'node dist/cli.js');
    assert.equal(ownCommand('/opt/turnstone/dist/cli.js', '/home/me'), 'node /opt/turnstone/dist/cli.js');
    assert.equal(ownCommand('/my programs/cli.js', '/home/me'), 'node "/my programs/cli.js"');
  });
});
