import { DiagLogLevel, SeverityNumber, diag } from '@opentelemetry/api';
import { OTLPLogExporter } from '@opentelemetry/exporter-logs-otlp-http';
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-http';
import { detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import type { Resource } from '@opentelemetry/resources';
import { BatchLogRecordProcessor, LoggerProvider } from '@opentelemetry/sdk-logs';
import { MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
import type { SDKResultMessage } from '../../protocol/messages.ts';
import type { CostSummary, SessionTelemetry, Telemetry, ToolDecision } from '../../engine/ports.ts';
import type { Log } from '../../base/log.ts';
import { costGrowth, mergeGrowth } from './costGrowth.ts';
import type { CostGrowth } from './costGrowth.ts';

export interface TelemetryOptions {
  readonly env: { readonly [name: string]: string | undefined };
  readonly version: string;
  readonly log: Log;
}

/** A collector that does not answer must not hold up the end of a session for longer. Milliseconds. */
const longestFlushMs = 2_000;

/**
 * Sends numbers and events to an OpenTelemetry collector over HTTP as JSON: where to, with which headers and how often is
 * said by the standard OTEL_* variables. Undefined where those switch it off. No prompt leaves unless
 * OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT is true.
 */
export function otlpTelemetry({ env, version, log }: TelemetryOptions): Telemetry | undefined {
  const metrics = isOn(env['OTEL_METRICS_EXPORTER']);
  const logs = isOn(env['OTEL_LOGS_EXPORTER']);
  if (env['OTEL_SDK_DISABLED']?.toLowerCase() === 'true' || (!metrics && !logs)) return undefined;
  diag.setLogger({ error: (text) => log.warn(`telemetry: ${text}`), warn: (text) => log.warn(`telemetry: ${text}`), info: () => {}, debug: () => {}, verbose: () => {} }, { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true });
  const protocol = env['OTEL_EXPORTER_OTLP_PROTOCOL'];
  if (protocol !== undefined && protocol !== 'http/json') log.warn(`telemetry: sent as http/json, which collectors take at the same address as http/protobuf; ${protocol} is not supported`);
  const resource = resourceFromAttributes({ 'service.name': 'turnstone', 'service.version': version }).merge(detectResources({ detectors: [envDetector] }));
  return new OtlpTelemetry({
    meters: meterProvider(resource, metrics, env['OTEL_METRIC_EXPORT_INTERVAL']),
    loggers: new LoggerProvider({ resource, processors: logs ? [new BatchLogRecordProcessor({ exporter: new OTLPLogExporter() })] : [] }),
    version,
    log,
    withPrompts: env['OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT']?.toLowerCase() === 'true',
  });
}

function isOn(exporter: string | undefined): boolean {
  return exporter === undefined || exporter.split(',').some((name) => name.trim() === 'otlp');
}

function meterProvider(resource: Resource, on: boolean, interval: string | undefined): MeterProvider {
  const ms = Number(interval);
  const exportIntervalMillis = Number.isSafeInteger(ms) && ms > 0 ? ms : 60_000;
  const reader = () => new PeriodicExportingMetricReader({ exporter: new OTLPMetricExporter(), exportIntervalMillis, exportTimeoutMillis: Math.min(exportIntervalMillis, 30_000) });
  return new MeterProvider({ resource, readers: on ? [reader()] : [] });
}

interface TelemetryParts {
  readonly meters: MeterProvider;
  readonly loggers: LoggerProvider;
  readonly version: string;
  readonly withPrompts: boolean;
  readonly log: Log;
}

interface Watched {
  readonly before: CostSummary;
  readonly cost: () => CostSummary;
}

class OtlpTelemetry implements Telemetry {
  readonly #parts: TelemetryParts;
  readonly #open = new Set<Watched>();
  /** Of sessions that are closed. */
  #closed: readonly CostGrowth[] = [];

  constructor(parts: TelemetryParts) {
    this.#parts = parts;
    const meter = parts.meters.getMeter('turnstone', parts.version);
    const observe = (name: string, unit: string, description: string, part: keyof CostGrowth): void =>
      meter.createObservableCounter(name, { unit, description }).addCallback((result) => {
        for (const { value, attributes } of this.#growth(part)) result.observe(value, attributes);
      });
    observe('turnstone.cost', '{USD}', 'US dollars, of models whose price is known', 'cost');
    observe('turnstone.tokens', '{token}', 'Tokens by model, purpose and type', 'tokens');
    observe('turnstone.web_searches', '{search}', 'Searches made by the API', 'searches');
    observe('turnstone.lines', '{line}', 'Lines of files added and removed by accepted edits', 'lines');
    observe('turnstone.time', 's', 'Time of turns, of the model with and without failed attempts, of tools', 'time');
  }

  open({ sessionId, cost }: { readonly sessionId: string; readonly cost: () => CostSummary }): SessionTelemetry {
    const { meters, loggers, version, withPrompts } = this.#parts;
    const meter = meters.getMeter('turnstone', version);
    const logger = loggers.getLogger('turnstone', version);
    const decisions = meter.createCounter('turnstone.tool_decisions', { unit: '{decision}', description: 'Calls that were allowed or refused, by whom' });
    const turns = meter.createCounter('turnstone.turns', { unit: '{turn}' });
    meter.createCounter('turnstone.sessions', { unit: '{session}' }).add(1);
    const watched: Watched = { before: cost(), cost };
    this.#open.add(watched);
    const event = (eventName: string, attributes: { readonly [name: string]: string | number | boolean }): void =>
      logger.emit({ eventName, body: eventName, severityNumber: SeverityNumber.INFO, severityText: 'INFO', attributes: { 'session.id': sessionId, ...attributes } });
    return {
      decided: ({ toolName, behavior, by }: ToolDecision) => {
        const attributes = { 'gen_ai.tool.name': toolName, decision: behavior, source: by };
        decisions.add(1, attributes);
        event('turnstone.tool_decision', attributes);
      },
      turnEnded: (result, prompt) => {
        turns.add(1, { outcome: result.subtype });
        event('turnstone.turn', { ...turnAttributes(result), ...(withPrompts && { 'gen_ai.prompt': prompt }) });
      },
      end: () => this.#end(watched),
    };
  }

  async #end(watched: Watched): Promise<void> {
    if (!this.#open.delete(watched)) return;
    this.#closed = [...this.#closed, costGrowth(watched.before, watched.cost())];
    const { meters, loggers, log } = this.#parts;
    const sent = Promise.allSettled([meters.forceFlush({ timeoutMillis: longestFlushMs }), loggers.forceFlush({ timeoutMillis: longestFlushMs })]);
    let timer: NodeJS.Timeout | undefined;
    const outcomes = await Promise.race([sent, new Promise<undefined>((resolve) => (timer = setTimeout(resolve, longestFlushMs, undefined)))]);
    clearTimeout(timer);
    if (!outcomes?.every(({ status }) => status === 'fulfilled')) log.warn('telemetry: the collector did not take the last numbers of this session; they are in its transcript.');
  }

  #growth(part: keyof CostGrowth) {
    const open = [...this.#open].map(({ before, cost }) => costGrowth(before, cost()));
    return mergeGrowth([...this.#closed, ...open].map((growth) => growth[part]));
  }
}

function turnAttributes({ subtype, duration_ms, duration_api_ms, num_turns, usage, total_cost_usd }: SDKResultMessage): { readonly [name: string]: string | number } {
  return {
    outcome: subtype,
    duration_ms,
    duration_api_ms,
    requests: num_turns,
    ...(total_cost_usd !== null && { session_cost_usd: total_cost_usd }),
    'gen_ai.usage.input_tokens': usage.input_tokens,
    'gen_ai.usage.output_tokens': usage.output_tokens,
    'gen_ai.usage.cache_read.input_tokens': usage.cache_read_input_tokens ?? 0,
    'gen_ai.usage.cache_creation.input_tokens': usage.cache_creation_input_tokens ?? 0,
  };
}
