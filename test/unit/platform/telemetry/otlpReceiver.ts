import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

interface Attribute {
  readonly key: string;
  readonly value: { readonly stringValue?: string; readonly intValue?: number | string; readonly doubleValue?: number };
}

interface Received {
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: unknown;
}

type Attributes = Readonly<Record<string, string | number | undefined>>;

/** A collector that speaks OTLP over HTTP as JSON, and keeps what it was sent. */
export interface OtlpReceiver {
  readonly url: string;
  readonly received: readonly Received[];
  /** The newest value of each point of a counter. */
  points(metric: string): { readonly value: number; readonly attributes: Attributes }[];
  logs(): { readonly name: string; readonly attributes: Attributes }[];
  resource(): Attributes;
  close(): Promise<void>;
}

export async function startOtlpReceiver(): Promise<OtlpReceiver> {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    void json(request).then((body) => {
      received.push({ path: request.url ?? '', headers: request.headers, body });
      response.setHeader('content-type', 'application/json').end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const bodies = (path: string): unknown[] => received.filter((each) => each.path === path).map(({ body }) => body);
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    points: (metric) => {
      const newest = new Map<string, { value: number; attributes: Attributes }>();
      for (const point of bodies('/v1/metrics').flatMap((body) => metricsIn(body)).filter(({ name }) => name === metric).flatMap(({ sum }) => sum?.dataPoints ?? [])) {
        const attributes = toRecord(point.attributes);
        newest.set(JSON.stringify(attributes), { value: Number(point.asDouble ?? point.asInt), attributes });
      }
      return [...newest.values()];
    },
    logs: () => bodies('/v1/logs').flatMap((body) => logsIn(body)).map(({ eventName = '', attributes }) => ({ name: eventName, attributes: toRecord(attributes) })),
    resource: () => toRecord((bodies('/v1/metrics')[0] as { readonly resourceMetrics: readonly Scoped[] }).resourceMetrics[0]!.resource.attributes),
    close: () => new Promise((resolve) => server.close(() => resolve()).closeAllConnections()),
  };
}

interface Scoped {
  readonly resource: { readonly attributes: readonly Attribute[] };
}

interface Metric {
  readonly name: string;
  readonly sum?: { readonly dataPoints: readonly { readonly asDouble?: number; readonly asInt?: number | string; readonly attributes: readonly Attribute[] }[] };
}

function metricsIn(body: unknown): Metric[] {
  const { resourceMetrics } = body as { readonly resourceMetrics: readonly { readonly scopeMetrics: readonly { readonly metrics: readonly Metric[] }[] }[] };
  return resourceMetrics.flatMap(({ scopeMetrics }) => scopeMetrics.flatMap(({ metrics }) => metrics));
}

function logsIn(body: unknown): { readonly eventName?: string; readonly attributes: readonly Attribute[] }[] {
  const { resourceLogs } = body as { readonly resourceLogs: readonly { readonly scopeLogs: readonly { readonly logRecords: readonly { readonly attributes: readonly Attribute[] }[] }[] }[] };
  return resourceLogs.flatMap(({ scopeLogs }) => scopeLogs.flatMap(({ logRecords }) => logRecords));
}

function toRecord(attributes: readonly Attribute[]): Attributes {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, value.stringValue ?? (value.doubleValue ?? Number(value.intValue))]));
}
