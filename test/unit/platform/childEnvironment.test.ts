import assert from 'node:assert/strict';
import { childEnvironment } from '../../../src/platform/childEnvironment.ts';

describe('childEnvironment', () => {
  it('leaves out keys, our own and the editor\'s variables, and keeps the rest', () => {
    const environment = childEnvironment({
      PATH: '/bin', HOME: '/home/a', GITHUB_USER: 'a',
      ANTHROPIC_API_KEY: 'k', ANTHROPIC_BASE_URL: 'u', TURNSTONE_HOME: 't', OPENAI_API_KEY: 'k', MYAPIKEY: 'k',
      VSCODE_PID: '1', ELECTRON_RUN_AS_NODE: '1',
    });
    assert.deepEqual(Object.keys(environment).sort(), ['GITHUB_USER', 'GIT_EDITOR', 'GIT_PAGER', 'GIT_TERMINAL_PROMPT', 'HOME', 'NO_COLOR', 'PAGER', 'PATH', 'TERM']);
  });

  it('leaves out what the editor set and what would fail without the editor', () => {
    const environment = childEnvironment({ GIT_ASKPASS: '/code/askpass.sh', VSCODE_GIT_ASKPASS_NODE: '/code', NODE_OPTIONS: '--require x', VSCODE_INSPECTOR_OPTIONS: '{}' });
    assert.deepEqual([environment['GIT_ASKPASS'], environment['NODE_OPTIONS']], [undefined, undefined]);
    assert.equal(childEnvironment({ GIT_ASKPASS: '/mine', NODE_OPTIONS: '--trace-warnings' })['GIT_ASKPASS'], '/mine');
  });
});
