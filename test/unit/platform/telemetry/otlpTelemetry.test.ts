import assert from 'node:assert/strict';
import { CostTracker } from '../../../../src/engine/cost/costTracker.ts';
import { costGrowth, mergeGrowth } from '../../../../src/platform/telemetry/costGrowth.ts';
import { message, toolUse } from '../../../support/scriptedMessage.ts';
import { startScriptedServer } from '../../../support/scriptedServer.ts';
import type { ScriptedServer } from '../../../support/scriptedServer.ts';
import { turn } from '../../../support/scriptedTurn.ts';
import { bundleCommandLine } from '../../cli/commandLine.ts';
import type { CommandLine } from '../../cli/commandLine.ts';
import { startOtlpReceiver } from './otlpReceiver.ts';
import type { OtlpReceiver } from './otlpReceiver.ts';

describe('telemetry over OTLP', function () {
  this.timeout(60_000);
  let bundle: Awaited<ReturnType<typeof bundleCommandLine>> | undefined;
  let commandLine: CommandLine;
  let server: ScriptedServer;
  let receiver: OtlpReceiver;

  before(async () => {
    bundle = await bundleCommandLine();
  });
  after(() => bundle?.dispose());
  beforeEach(async () => {
    commandLine = bundle!.open();
    const usage = { input_tokens: 1_000, output_tokens: 100, cache_read_input_tokens: 10_000 };
    server = await startScriptedServer([turn({ reply: message([toolUse('Bash', { command: 'echo secret-command' })], { usage }) }), turn({ reply: message('secret-answer', { usage }) })], { expectedKey: 'key-1' });
    receiver = await startOtlpReceiver();
  });
  afterEach(async () => {
    await server.close();
    await receiver.close();
    commandLine.dispose();
  });

  const run = async (env: NodeJS.ProcessEnv) => {
    const clean = { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url, ANTHROPIC_API_KEY: 'key-1', ANTHROPIC_BASE_URL: server.url };
    const { code, stdout, stderr } = await commandLine.run(['-p', 'secret-prompt', '--model', 'claude-haiku-4-5', '--output-format', 'json'], { env: { ...clean, ...env } });
    assert.equal(code, 0, stderr);
    return { result: JSON.parse(stdout) as { readonly total_cost_usd: number; readonly session_id: string; readonly duration_ms: number }, stderr };
  };
  const sent = (): string => JSON.stringify(receiver.received);

  it('sends what a session has cost, used, taken and been refused, to where the standard variables say, and no words', async () => {
    const { result } = await run({ TURNSTONE_TELEMETRY: '1', OTEL_EXPORTER_OTLP_HEADERS: 'x-team=blue', OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment=test', OTEL_SERVICE_NAME: 'my-turnstone' });
    // Two requests: 2 × (1,000×1 + 100×5 + 10,000×0.1) = 5,000 millionths.
    assert.equal(result.total_cost_usd, 0.005);
    const model = { 'gen_ai.request.model': 'claude-haiku-4-5', 'turnstone.purpose': 'answer' };
    assert.deepEqual(receiver.points('turnstone.cost'), [{ value: 0.005, attributes: model }]);
    assert.deepEqual(receiver.points('turnstone.tokens').map(({ value, attributes }) => [attributes['gen_ai.token.type'], value]), [['input', 2_000], ['output', 200], ['cache_read', 20_000]]);
    assert.deepEqual(receiver.points('turnstone.tool_decisions'), [{ value: 1, attributes: { 'gen_ai.tool.name': 'Bash', decision: 'deny', source: 'host' } }]);
    assert.deepEqual(['turnstone.turns', 'turnstone.sessions'].map((name) => receiver.points(name).map(({ value }) => value)), [[1], [1]]);
    const times = Object.fromEntries(receiver.points('turnstone.time').map(({ value, attributes }) => [attributes['type'], value]));
    assert.ok(times['turns']! > 0 && times['turns']! <= result.duration_ms / 1000, JSON.stringify(times));
    assert.deepEqual(receiver.logs().map(({ name, attributes }) => [name, attributes['session.id'], attributes['session_cost_usd'], attributes['decision']]), [
      ['turnstone.tool_decision', result.session_id, undefined, 'deny'],
      ['turnstone.turn', result.session_id, 0.005, undefined],
    ]);
    assert.ok(receiver.received.every(({ headers }) => headers['x-team'] === 'blue'));
    const { 'service.name': name, 'service.version': version, 'deployment.environment': environment } = receiver.resource();
    assert.deepEqual({ name, version, environment }, { name: 'my-turnstone', version: '1.2.3', environment: 'test' });
    assert.doesNotMatch(sent(), /secret-/);
  });

  it('sends the prompt, and only that, to those who have asked for it', async () => {
    await run({ TURNSTONE_TELEMETRY: '1', OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: 'true' });
    assert.deepEqual(receiver.logs().map(({ attributes }) => attributes['gen_ai.prompt']), [undefined, 'secret-prompt']);
    assert.doesNotMatch(sent(), /secret-(command|answer)/);
  });

  it('sends nothing where it is not asked to, though a collector is configured', async () => {
    await run({});
    assert.deepEqual(receiver.received, []);
  });

  it('sends nothing where all of OpenTelemetry is switched off', async () => {
    await run({ TURNSTONE_TELEMETRY: '1', OTEL_SDK_DISABLED: 'true' });
    assert.deepEqual(receiver.received, []);
  });

  it('leaves out the signal that is switched off', async () => {
    await run({ TURNSTONE_TELEMETRY: '1', OTEL_LOGS_EXPORTER: 'none' });
    assert.deepEqual([...new Set(receiver.received.map(({ path }) => path))], ['/v1/metrics']);
  });

  it('is no reason to fail or to wait long when nobody answers', async () => {
    const { result, stderr } = await run({ TURNSTONE_TELEMETRY: '1', OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' });
    assert.equal(result.total_cost_usd, 0.005);
    assert.match(stderr, /the collector did not take the last numbers of this session/);
  });
});

describe('costGrowth', () => {
  const summaryOf = (...outputs: readonly number[]) => {
    const tracker = new CostTracker(() => undefined);
    for (const [index, output] of outputs.entries()) tracker.add({ messageId: String(index), model: index === 0 ? 'claude-haiku-4-5' : 'unknown', usage: { input_tokens: 0, output_tokens: output }, date: new Date('2026-11-30') });
    return tracker.summary();
  };

  it('counts only what came since, and no dollars of an unknown price', () => {
    const growth = costGrowth(summaryOf(1_000), summaryOf(3_000, 7));
    assert.deepEqual(mergeGrowth([growth.cost]).map(({ value }) => value), [0.01]);
    assert.deepEqual(mergeGrowth([growth.tokens, growth.tokens]).map(({ value, attributes }) => [attributes['gen_ai.request.model'], attributes['gen_ai.token.type'], value]), [['claude-haiku-4-5', 'output', 4_000], ['unknown', 'output', 14]]);
  });
});
