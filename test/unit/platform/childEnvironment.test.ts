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

  const withheld = [
    'AWS_SECRET_ACCESS_KEY', 'AWS_ACCESS_KEY_ID', 'AWS_SESSION_TOKEN', 'GITHUB_TOKEN', 'GH_TOKEN', 'NPM_TOKEN', 'CLAUDE_CODE_OAUTH_TOKEN', 'npm_config__authToken', 'TOKEN', 'ACTIONS_RUNTIME_TOKEN',
    'OPENAI_API_KEY', 'API_KEY_FILE', 'azureApiKey', 'PGPASSWORD', 'DB_PASSWORD', 'DB_PASSWD', 'DB_PASS', 'MYSQL_PWD', 'SSHPASS', 'KEY_PASSPHRASE', 'CLIENT_SECRET', 'SECRET_KEY_BASE', 'DEPLOY_PRIVATE_KEY',
    'GOOGLE_APPLICATION_CREDENTIALS', 'RAILS_MASTER_KEY', 'AZURE_STORAGE_CONNECTION_STRING', 'AZURE_STORAGE_KEY', 'NPM_AUTH', 'ANTHROPIC_AUTH_TOKEN', 'ANTHROPIC_BASE_URL',
    'OTEL_EXPORTER_OTLP_HEADERS', 'OTEL_EXPORTER_OTLP_METRICS_HEADERS',
  ];
  const left = ['SSH_AUTH_SOCK', 'GIT_ASKPASS', 'SSH_ASKPASS', 'PWD', 'OLDPWD', 'GPG_AGENT_INFO', 'HTTPS_PROXY', 'TOKENIZERS_PARALLELISM', 'MAX_OUTPUT_TOKENS', 'KEYBOARD', 'XAUTHORITY', 'COMPASS', 'BYPASS', 'JAVA_HOME', 'npm_config_cache', 'KUBECONFIG', 'AWS_PROFILE', 'AWS_REGION', 'OTEL_SERVICE_NAME', 'OTEL_EXPORTER_OTLP_ENDPOINT'];
  const all = Object.fromEntries([...withheld, ...left].map((name) => [name, 'x']));

  for (const name of withheld) it(`${name} reaches no command`, () => assert.equal(childEnvironment(all)[name], undefined));
  for (const name of left) it(`${name} does`, () => assert.equal(childEnvironment(all)[name], 'x'));

  it('keeps what the user allows, and that only', () => {
    const environment = childEnvironment(all, ['gh_token', 'NPM_TOKEN', 'MISSING']);
    assert.deepEqual([environment['GH_TOKEN'], environment['NPM_TOKEN'], environment['GITHUB_TOKEN'], 'MISSING' in environment], ['x', 'x', undefined, false]);
  });

  it('leaves out what the editor set and what would fail without the editor', () => {
    const environment = childEnvironment({ GIT_ASKPASS: '/code/askpass.sh', VSCODE_GIT_ASKPASS_NODE: '/code', NODE_OPTIONS: '--require x', VSCODE_INSPECTOR_OPTIONS: '{}' });
    assert.deepEqual([environment['GIT_ASKPASS'], environment['NODE_OPTIONS']], [undefined, undefined]);
    assert.equal(childEnvironment({ GIT_ASKPASS: '/mine', NODE_OPTIONS: '--trace-warnings' })['GIT_ASKPASS'], '/mine');
  });
});
