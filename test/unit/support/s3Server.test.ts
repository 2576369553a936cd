import assert from 'node:assert/strict';
import { S3mini } from 's3mini';
import { S3Store } from '../../../src/platform/s3Store.ts';
import { S3Server } from '../../support/s3Server.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

describe('the fake of an S3 server', () => {
  let server: S3Server;
  beforeEach(async () => {
    server = await S3Server.start();
  });
  afterEach(() => server.close());

  const store = (changes: object = {}): S3Store =>
    new S3Store({ url: server.url, region: server.region, prefix: '', accessKeyId: server.accessKeyId, secretAccessKey: server.secretAccessKey, timeoutMs: 10_000, signal: new AbortController().signal, ...changes });

  it('keeps objects of any name and lists them page by page', async () => {
    const names = ['a', 'b/ü +&<x>.txt', "b/it's (1)!*", 'b/z', 'c'];
    for (const name of names) await store().write(name, bytes(name), 'any');
    assert.deepEqual(await store().list(''), [...names].sort());
    assert.deepEqual(await store().list('b/'), names.slice(1, 4).sort());
    assert.equal(new TextDecoder().decode((await store().read('b/ü +&<x>.txt'))?.bytes), 'b/ü +&<x>.txt');
    assert.equal(await store().read('none'), undefined);
    assert.deepEqual(server.complaints, []);
  });

  it('writes only when the condition holds', async () => {
    assert.notEqual(await store().write('a', bytes('1'), 'absent'), 'refused');
    assert.equal(await store().write('a', bytes('2'), 'absent'), 'refused');
    const { version } = (await store().read('a'))!;
    assert.notEqual(await store().write('a', bytes('3'), { version }), 'refused');
    assert.equal(await store().write('a', bytes('4'), { version }), 'refused');
    assert.equal(await store().write('gone', bytes('5'), { version }), 'refused');
    assert.deepEqual([server.text('a'), server.text('gone'), server.requests.map(({ status }) => status)], ['3', undefined, [200, 412, 200, 200, 412, 404]]);
  });

  it('refuses whoever signs with the wrong key, for another region, or not at all', async () => {
    for (const wrong of [{ secretAccessKey: 'wrong' }, { accessKeyId: 'other' }, { region: 'eu-other-1' }, { accessKeyId: '', secretAccessKey: '' }]) {
      await assert.rejects(store(wrong).write('a', bytes('1'), 'any'), /refuses the access key/);
    }
    assert.deepEqual([server.objects.size, server.complaints.length], [0, 4]);
  });

  it('refuses a request that was changed after it was signed, and a body that does not fit its checksum', async () => {
    const client = (change: (url: string, init: RequestInit) => [string, RequestInit]): S3mini =>
      new S3mini({ endpoint: server.url, region: server.region, accessKeyId: server.accessKeyId, secretAccessKey: server.secretAccessKey, fetch: (url, init) => fetch(...change(String(url), init ?? {})) });
    const sum = { 'x-amz-checksum-sha256': 'a4ayc/80/OGda4BO/1o/V0etpOqiLx1JwB5S3beHW0s=' };
    const put = (change: (url: string, init: RequestInit) => [string, RequestInit]) => client(change).putObject('a', '1', 'text/plain', undefined, sum);
    await assert.rejects(put((url, init) => [url.replace(/a$/, 'b'), init]), /403/);
    await assert.rejects(put((url, init) => [url, { ...init, headers: { ...(init.headers as object), 'x-amz-checksum-sha256': 'other' } }]), /403/);
    await assert.rejects(put((url, init) => [url, { ...init, headers: { ...(init.headers as object), 'x-amz-meta-more': 'unsigned' } }]), /403/);
    await assert.rejects(put((url, init) => [url, { ...init, body: '2' }]), /400/);
    await put((url, init) => [url, init]);
    assert.deepEqual([...server.objects.keys()], ['a']);
  });
});
