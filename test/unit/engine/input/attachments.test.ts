import assert from 'node:assert/strict';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { ContentBlock } from '../../../../src/protocol/contentBlocks.ts';
import type { SDKMessage } from '../../../../src/protocol/messages.ts';
import type { Session } from '../../../../src/sdk/index.ts';
import { EngineHarness, resultOf, toolResults } from '../../../support/engineHarness.ts';
import { message, toolUse } from '../../../support/scriptedMessage.ts';
import { pngHeader } from '../../../support/imageHeaders.ts';
import { turn } from '../../../support/scriptedTurn.ts';

const PNG = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64');

describe('Attachments', () => {
  let harness: EngineHarness;
  let session: Session;

  beforeEach(async () => {
    harness = await EngineHarness.start([turn({ reply: message('ok'), times: 9 })], { files: { 'src/a.ts': 'one\ntwo\nthree\nfour\n', 'my notes.md': 'notes', 'docs/x.md': 'x' } });
    session = await harness.open();
  });
  afterEach(() => harness.close());

  async function submit(prompt: string | readonly ContentBlock[]): Promise<{ blocks: readonly ContentBlock[]; sent: string; notices: string[]; messages: SDKMessage[] }> {
    const messages: SDKMessage[] = [];
    for await (const each of session.submitMessage(prompt)) messages.push(each);
    const blocks = harness.server.requests.at(-1)!.body.messages.at(-1)!.content as ContentBlock[];
    const notices = messages.flatMap((each) => (each.type === 'system' && each.subtype === 'notice' ? [each.text] : []));
    return { blocks, sent: JSON.stringify(blocks), notices, messages };
  }

  it('shows a mentioned file as Read would, after the prompt as it was typed, and it counts as read', async () => {
    harness = await replace([
      turn({ reply: () => message([toolUse('Edit', { file_path: harness.path('src/a.ts'), old_string: 'two', new_string: '2' }, { id: 'e1' })]) }),
      turn({ reply: message('done') }),
    ]);
    await submit('change @src/a.ts, please');
    const [first, second] = harness.server.requests[0]!.body.messages[0]!.content as ContentBlock[];
    assert.equal(first!['text'], 'change @src/a.ts, please');
    assert.match(String(second!['text']), /^<attached-file path="[^"]*src\/a\.ts">\n +1\tone\n +2\ttwo/);
    assert.equal(await harness.read('src/a.ts'), 'one\n2\nthree\nfour\n');
    assert.doesNotMatch(toolResults(harness.server.requests[1]!.body)['e1']!, /read it first/i);
    harness.server.assertClean();
  });

  it('shows lines that are asked for, and a file that was shown in part may not be edited as if it were known', async () => {
    const { sent } = await submit('see @src/a.ts#L2-3');
    assert.match(sent, /lines=\\"2-3\\">\\n +2\\ttwo\\n +3\\tthree\\n/);
    assert.doesNotMatch(sent, /\\tone/);
  });

  it('takes quoted paths and folders', async () => {
    const { sent, notices } = await submit('look at @"my notes.md" and @docs/ and @src');
    assert.match(sent, /1\\tnotes/);
    assert.match(sent, /<attached-folder path=\\"[^"]*docs\\"[^>]*>\\nx\.md\\n/);
    assert.match(sent, /<attached-folder path=\\"[^"]*src\\"[^>]*>\\na\.ts\\n/);
    assert.deepEqual(notices, []);
  });

  it('leaves what is no file as it is, and says so only where one was meant', async () => {
    const { blocks, notices } = await submit('@someone told @./gone.ts about @types/node and "@Component"');
    assert.equal(blocks.filter((block) => String(block['text']).includes('attached')).length, 0);
    assert.equal(notices.length, 1);
    assert.match(notices[0]!, /^@\.\/gone\.ts was sent as plain text/);
  });

  it('attaches from outside only what was typed whole, and follows no link out unseen', async () => {
    const outside = join(dirname(harness.cwd), 'outside.txt');
    await writeFile(outside, 'from outside');
    await symlink(outside, harness.path('link.txt'));
    const { sent, notices } = await submit('@../outside.txt @link.txt');
    assert.doesNotMatch(sent, /from outside/);
    assert.equal(notices.length, 2);
    assert.match(notices[0]!, /outside the workspace: type its full path/);
    assert.match((await submit(`@${outside}`)).sent, /from outside/);
  });

  it('finds files of other folders of the workspace, also by the folder’s name', async () => {
    const other = join(dirname(harness.cwd), 'other');
    await mkdir(join(other, 'lib'), { recursive: true });
    await writeFile(join(other, 'lib/b.ts'), 'in other');
    session = await harness.open({ roots: [harness.cwd, other] });
    assert.match((await submit('@lib/b.ts')).sent, /in other/);
    session = await harness.open({ roots: [harness.cwd, other] });
    assert.match((await submit('@other/lib/b.ts')).sent, /in other/);
  });

  it('shows images and PDFs as what they are, whatever they are called', async () => {
    await harness.write('pic.bin', PNG);
    await harness.write('doc.txt', Buffer.from('%PDF-1.4\nsmall'));
    const { blocks } = await submit('@pic.bin @doc.txt');
    assert.deepEqual(blocks.flatMap((block) => (block.type === 'text' ? [] : [[block.type, (block['source'] as { media_type: string }).media_type]])), [['image', 'image/png'], ['document', 'application/pdf']]);
    harness.server.assertClean();
  });

  it('says what can’t be shown: binaries, and files that are too large', async () => {
    await harness.write('a.bin', Buffer.from([0, 1, 2, 255]));
    await harness.write('big.pdf', Buffer.concat([Buffer.from('%PDF-'), Buffer.alloc(21 * 1024 * 1024)]));
    const { notices, blocks } = await submit('@a.bin @big.pdf');
    assert.equal(notices.length, 2);
    assert.match(notices[1]!, /21\.0 MB, at most 20 MB/);
    assert.equal(blocks.filter((block) => block.type !== 'text').length, 0);
  });

  it('takes blocks, corrects a wrong media type and leaves out what the server would refuse for ever', async () => {
    const image = (media_type: string, data: string): ContentBlock => ({ type: 'image', source: { type: 'base64', media_type, data } });
    const { blocks, notices, messages } = await submit([
      { type: 'text', text: 'What is on @docs/x.md and these?' },
      image('image/jpeg', PNG.toString('base64')),
      image('image/png', Buffer.alloc(5 * 1024 * 1024, PNG).toString('base64')),
      image('image/png', 'no base64!'),
      { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: Buffer.from('plain').toString('base64') } },
    ]);
    assert.equal(resultOf(messages).subtype, 'success');
    assert.deepEqual(blocks.flatMap((block) => (block.type === 'image' ? [(block['source'] as { media_type: string }).media_type] : [])), ['image/png']);
    assert.match(JSON.stringify(blocks), /1\\tx/);
    assert.deepEqual(notices.map((notice) => /too large|base64|not a PDF/.exec(notice)?.[0]), ['too large', 'base64', 'not a PDF']);
    harness.server.assertClean();
  });

  it('O24: what the server would refuse never leaves: 2984 × 8340, 6 MB, a .png that is really HTML; each is named', async () => {
    const image = (data: Buffer): ContentBlock => ({ type: 'image', source: { type: 'base64', media_type: 'image/png', data: data.toString('base64') } });
    const html = Buffer.from('<!doctype html><title>Sign in</title>');
    await harness.write('long.png', pngHeader(2984, 8340));
    await harness.write('heavy.png', Buffer.concat([PNG, Buffer.alloc(6 * 1024 * 1024)]));
    await harness.write('page.png', html);
    const { blocks, notices, sent, messages } = await submit([
      { type: 'text', text: 'see @long.png @heavy.png @page.png' },
      image(pngHeader(2984, 8340)),
      image(Buffer.concat([PNG, Buffer.alloc(6 * 1024 * 1024)])),
      image(html),
    ]);
    assert.equal(resultOf(messages).subtype, 'success');
    assert.equal(blocks.filter((block) => block.type === 'image').length, 0);
    assert.deepEqual(notices.map((notice) => /attached image|@\w+\.png/.exec(notice)?.[0]), ['attached image', 'attached image', 'attached image', '@long.png', '@heavy.png']);
    assert.match(notices[0]!, /2984 × 8340 pixels, at most 8000/);
    assert.match(notices[1]!, /6\.0 MB, at most 3\.75 MB/);
    assert.match(notices[2]!, /none of png, jpg, gif and webp/);
    assert.match(sent, /\(An attached image was left out: The image is too large to be shown to the model: 2984 × 8340 pixels/);
    assert.match(sent, /page\.png is named like an image, but it holds this text/);
    harness.server.assertClean();
  });

  it('sends attachments byte for byte the same after a resume', async () => {
    await submit('@src/a.ts');
    await session.dispose();
    const before = JSON.stringify((harness.server.requests[0]!.body.messages[0]!.content as ContentBlock[]).slice(0, 2));
    session = await harness.open({ resume: session.sessionId });
    await submit('more');
    assert.equal(JSON.stringify((harness.server.requests[1]!.body.messages[0]!.content as ContentBlock[]).slice(0, 2)), before);
  });

  async function replace(turns: Parameters<typeof EngineHarness.start>[0]): Promise<EngineHarness> {
    await harness.close();
    harness = await EngineHarness.start(turns, { files: { 'src/a.ts': 'one\ntwo\nthree\nfour\n' } });
    session = await harness.open();
    return harness;
  }
});
