import assert from 'node:assert/strict';
import { chmod, lstat, readFile, stat, symlink, unlink, utimes, writeFile } from 'node:fs/promises';
import { openToolBench } from './toolBench.ts';
import type { ToolBench } from './toolBench.ts';

let bench: ToolBench;

const put = (name: string, content: string | Uint8Array): Promise<void> => writeFile(bench.at(name), content);
const textOf = (name: string): Promise<string> => readFile(bench.at(name), 'utf8');
const bytesOf = (name: string): Promise<Buffer> => readFile(bench.at(name));
const read = (file_path: string): Promise<string> => bench.say('Read', { file_path });
const edit = (old_string: string, new_string: string, more: object = {}): object => ({ file_path: 'f.txt', old_string, new_string, ...more });

describe('changing a file', () => {
  beforeEach(async () => {
    bench = await openToolBench();
  });
  afterEach(() => bench.dispose());

  describe('Edit', () => {
    it('keeps CRLF, and shows one changed line', async () => {
      await put('f.txt', 'a\r\nb\r\nc\r\n');
      assert.equal(await read('f.txt'), '     1\ta\n     2\tb\n     3\tc');
      const outcome = await bench.run('Edit', edit('a\nb', 'a\nX\nb'));
      assert.equal(await textOf('f.txt'), 'a\r\nX\r\nb\r\nc\r\n');
      assert.deepEqual(outcome.result, { kind: 'edit', change: { path: bench.at('f.txt'), kind: 'modify', linesAdded: 1, linesRemoved: 0, diff: '@@ -1,3 +1,4 @@\n a\n+X\n b\n c' } });
      assert.equal(outcome.content, 'Changed f.txt: 1 line added, 0 removed.\nIt now reads:\n     1\ta\n     2\tX\n     3\tb\n     4\tc');
    });

    it('keeps the byte order mark and all other bytes, and finds the first line without it', async () => {
      await put('f.txt', Buffer.from('efbbbf22c3a9220a783d310a', 'hex'));
      await read('f.txt');
      await bench.run('Edit', edit('x=1', 'x=2'));
      await bench.run('Edit', edit('"é"', '"è"'));
      assert.equal((await bytesOf('f.txt')).toString('hex'), 'efbbbf22c3a8220a783d320a');
      await bench.run('Write', { file_path: 'f.txt', content: '\ufeff"é"\nx=3\n' });
      assert.equal((await bytesOf('f.txt')).toString('hex'), 'efbbbf22c3a9220a783d330a');
    });

    it('keeps UTF-16', async () => {
      await put('f.txt', Buffer.from('\ufeffeins 🙂\r\nzwei\r\n', 'utf16le'));
      await read('f.txt');
      await bench.run('Edit', edit('zwei', 'drei'));
      assert.equal((await bytesOf('f.txt')).toString('utf16le'), '\ufeffeins 🙂\r\ndrei\r\n');
    });

    it('keeps a legacy encoding, says so, and refuses what it does not have', async () => {
      await put('f.txt', Buffer.from('const x = 1;\n// caf\xe9 note\n', 'latin1'));
      assert.match(await read('f.txt'), /café note[^]*stored as ISO-8859-1/);
      await bench.run('Edit', edit('x = 1', 'x = 2'));
      await bench.run('Edit', edit('café note', 'crème note'));
      assert.deepEqual(await bytesOf('f.txt'), Buffer.from('const x = 2;\n// cr\xe8me note\n', 'latin1'));
      assert.match(await bench.say('Edit', edit('crème', '→')), /stored as ISO-8859-1, which has no way to write "→" \(U\+2192\).*Nothing was written/);
      assert.match(await bench.say('Write', { file_path: 'f.txt', content: '日本' }), /no way to write "日"/);
      assert.deepEqual(await bytesOf('f.txt'), Buffer.from('const x = 2;\n// cr\xe8me note\n', 'latin1'));
    });

    it('says when the file has other quotation marks than were quoted', async () => {
      await put('f.txt', 'a “quoted” word \nend\n');
      await read('f.txt');
      assert.match(await bench.say('Edit', edit('a "quoted" word\nend', 'a "quoted" word\nEND')), /differs in its quotation marks.*and in white space at the end of lines.*left as it is/);
      assert.equal(await textOf('f.txt'), 'a “quoted” word \nEND\n');
    });

    it('keeps bytes that are no text, also through a review that can not show them', async () => {
      const bytes = (start: string, end: string): Buffer => Buffer.concat([Buffer.from(`größer – ${start}\nrest `), Buffer.from([0xff, 0xc3]), Buffer.from(`\n${end}\n`)]);
      await put('f.txt', bytes('one', 'end'));
      assert.match(await read('f.txt'), /rest \ufffd\ufffd[^]*no UTF-8/);
      await bench.run('Edit', edit('one', 'two'));
      assert.deepEqual(await bytesOf('f.txt'), bytes('two', 'end'));
      await bench.run('Edit', edit('end', 'END'), { finalText: 'größer – two, mine\nrest \ufffd\ufffd\nEND\n' });
      assert.deepEqual(await bytesOf('f.txt'), bytes('two, mine', 'END'));
      const spoiled = await bench.run('Edit', edit('END', 'End'), { finalText: 'größer – two, mine\nrest, mine \ufffd\ufffd\nEnd\n' });
      assert.equal(spoiled.isError, true);
      assert.match(await bench.say('Edit', edit('END', 'E\ufffd')), /no text.*Nothing was changed/);
      assert.deepEqual(await bytesOf('f.txt'), bytes('two, mine', 'END'));
    });

    it('writes to the target of a link, which stays a link, and names the target in the proposal', async () => {
      await put('real.md', 'hello\n');
      await symlink('real.md', bench.at('middle'));
      await symlink('middle', bench.at('link.md'));
      await read('link.md');
      const input = { file_path: 'link.md', old_string: 'hello', new_string: 'changed' };
      const { proposal } = await bench.plan('Edit', input);
      assert.deepEqual(proposal, { path: bench.at('link.md'), targetPath: bench.at('real.md'), before: 'hello\n', after: 'changed\n' });
      await bench.run('Edit', input);
      assert.equal(await textOf('real.md'), 'changed\n');
      assert.ok((await lstat(bench.at('link.md'))).isSymbolicLink());
      assert.deepEqual(bench.history, ['before real.md', 'after real.md']);
    });

    it('keeps the mode', async () => {
      await put('f.txt', 'a\n');
      await chmod(bench.at('f.txt'), 0o750);
      await read('f.txt');
      await bench.run('Edit', edit('a', 'b'));
      assert.equal((await stat(bench.at('f.txt'))).mode & 0o777, 0o750);
    });

    it('writes exactly what was proposed with replace_all, and refuses overlapping places', async () => {
      await put('f.txt', '/v1/batches /v1/batches\n/v1/batches\n');
      await read('f.txt');
      const input = edit('/v1/batches', '/v2', { replace_all: true });
      const { proposal } = await bench.plan('Edit', input);
      await bench.run('Edit', input);
      assert.equal(await textOf('f.txt'), proposal?.after);
      await put('g.txt', 'foo\nfoo\nfoo\n');
      await read('g.txt');
      assert.match(await bench.say('Edit', { file_path: 'g.txt', old_string: 'foo\nfoo\n', new_string: 'x' }), /lines 1, 2/);
      assert.equal(await textOf('g.txt'), 'foo\nfoo\nfoo\n');
    });

    it('refuses a file never read or changed since, and goes on after reading; touching it is no change', async () => {
      await put('f.txt', 't\n');
      assert.match(await bench.say('Edit', edit('t', 'u')), /not read yet.*Read it first/);
      await read('f.txt');
      await utimes(bench.at('f.txt'), new Date(), new Date(Date.now() + 5_000));
      assert.match(await bench.say('Edit', edit('t', 'u')), /^Changed/);
      await put('f.txt', 'u and more\n');
      assert.match(await bench.say('Edit', edit('u', 'v')), /was changed since you read it/);
      await read('f.txt');
      assert.match(await bench.say('Edit', edit('u', 'v')), /^Changed/);
      assert.match(await bench.say('Edit', edit('v and', 'w and')), /^Changed/);
      assert.equal(await textOf('f.txt'), 'w and more\n');
    });

    it('names similar files when the file is missing, and makes one with an empty old_string', async () => {
      await put('cart.ts', '');
      assert.match(await bench.say('Edit', { file_path: 'Cart.tsx', old_string: 'a', new_string: 'b' }), /does not exist.*cart\.ts/);
      assert.equal(await bench.say('Edit', { file_path: 'new/deep.txt', old_string: '', new_string: 'a\nb\n' }), 'Created new/deep.txt (2 lines).');
      assert.equal(await textOf('new/deep.txt'), 'a\nb\n');
    });
  });

  describe('Write', () => {
    it('keeps trailing white space exactly', async () => {
      await bench.run('Write', { file_path: 'f.txt', content: 'a  \n\tb\t\n\n\n' });
      assert.equal(await textOf('f.txt'), 'a  \n\tb\t\n\n\n');
    });

    it('replaces a file that was read, with the line ends it has', async () => {
      await put('f.txt', 'a\r\nb\r\n');
      assert.match(await bench.say('Write', { file_path: 'f.txt', content: 'x' }), /not read yet/);
      await read('f.txt');
      await bench.run('Write', { file_path: 'f.txt', content: 'x\ny\nz\n' });
      assert.equal(await textOf('f.txt'), 'x\r\ny\r\nz\r\n');
      assert.match(await bench.say('Write', { file_path: 'f.txt', content: 'x\ny\nz\n' }), /already holds exactly this text/);
    });

    it('refuses a folder, and text that no file can hold', async () => {
      assert.match(await bench.say('Write', { file_path: '.', content: 'x' }), /is a folder/);
      assert.match(await bench.say('Write', { file_path: 'f.txt', content: 'a\ud83d' }), /half a character/);
      assert.deepEqual(bench.history, []);
    });

    it('says what is in the way when it cannot write, and that nothing changed', async () => {
      await put('f.txt', 'a');
      assert.match(await bench.say('Write', { file_path: 'f.txt/g.txt', content: 'x' }), /could not be written.*holds what it held before/);
    });
  });

  describe('A proposal that waits for the user', () => {
    beforeEach(async () => {
      await put('f.txt', 'x=1\ny=1\n');
      await read('f.txt');
    });

    it('is written as the user left it, and the model is told the difference', async () => {
      const outcome = await bench.run('Edit', edit('x=1', 'x=2'), { finalText: 'x=3\ny=1\n' });
      assert.equal(await textOf('f.txt'), 'x=3\ny=1\n');
      assert.match(String(outcome.content), /The user changed your proposal.*\n@@ -1,2 \+1,2 @@\n-x=2\n\+x=3\n y=1/);
      assert.ok(outcome.result?.kind === 'edit' && outcome.result.change.userDiff?.includes('+x=3'));
      assert.match(await bench.say('Edit', edit('x=3', 'x=4')), /^Changed/);
    });

    it('may be accepted as an empty text', async () => {
      await bench.run('Edit', edit('x=1', 'x=2'), { finalText: '' });
      assert.equal(await textOf('f.txt'), '');
    });

    it('keeps mixed line ends though an editor shows one kind', async () => {
      await put('f.txt', 'a\r\nb\nc\r\n');
      await read('f.txt');
      await bench.run('Edit', edit('b', 'B'), { finalText: 'a\r\nBB\r\nc\r\n' });
      assert.equal(await textOf('f.txt'), 'a\r\nBB\nc\r\n');
    });

    it('is not written when the file changed meanwhile, was removed, or its link points elsewhere', async () => {
      assert.match(await bench.say('Edit', edit('x=1', 'x=2'), { meanwhile: () => put('f.txt', 'other\n') }), /changed while this proposal waited. Nothing was written/);
      assert.equal(await textOf('f.txt'), 'other\n');
      await read('f.txt');
      assert.match(await bench.say('Edit', edit('other', 'x'), { meanwhile: () => unlink(bench.at('f.txt')) }), /Nothing was written/);
      await assert.rejects(textOf('f.txt'));
      await put('a', '1');
      await put('b', '1');
      await symlink('a', bench.at('link'));
      await read('link');
      const relink = async (): Promise<void> => {
        await unlink(bench.at('link'));
        await symlink('b', bench.at('link'));
      };
      assert.match(await bench.say('Edit', { file_path: 'link', old_string: '1', new_string: '2' }, { meanwhile: relink }), /Nothing was written/);
      assert.deepEqual([await textOf('a'), await textOf('b')], ['1', '1']);
      assert.deepEqual(bench.history, []);
    });

    it('is not written when a new file was made by others meanwhile', async () => {
      assert.match(await bench.say('Write', { file_path: 'n.txt', content: 'mine' }, { meanwhile: () => put('n.txt', 'theirs') }), /Nothing was written/);
      assert.equal(await textOf('n.txt'), 'theirs');
    });
  });

  describe('Unsaved text in the editor', () => {
    it('is what is read, edited and compared; the change goes through the document', async () => {
      await put('f.txt', '1\n2\n3\n');
      bench.unsaved.set(bench.at('f.txt'), '1\n9\n2\n3\n');
      assert.match(await read('f.txt'), /     2\t9\n[\s\S]*not saved yet/);
      const { proposal } = await bench.plan('Edit', edit('2', 'two'));
      assert.equal(proposal?.before, '1\n9\n2\n3\n');
      await bench.run('Edit', edit('2', 'two'));
      assert.equal(await textOf('f.txt'), '1\n9\ntwo\n3\n');
      assert.equal(bench.unsaved.size, 0);
    });

    it('typed while the proposal waits is not overwritten', async () => {
      await put('f.txt', '1\n2\n');
      await read('f.txt');
      const outcome = await bench.say('Edit', edit('2', 'two'), { meanwhile: () => bench.unsaved.set(bench.at('f.txt'), '1\n2\ntyped') });
      assert.match(outcome, /Nothing was written/);
      assert.deepEqual([await textOf('f.txt'), bench.unsaved.get(bench.at('f.txt'))], ['1\n2\n', '1\n2\ntyped']);
    });

    it('that a formatter changes on saving is told as it is finally, and can be edited at once', async () => {
      await put('f.txt', "a='y'\n");
      await read('f.txt');
      const plain = bench.context.files.writeFile;
      const formatting = { ...bench.context.files, writeFile: (path: string, bytes: Uint8Array) => plain(path, new TextEncoder().encode(new TextDecoder().decode(bytes).replaceAll("'", '"'))) };
      Object.assign(bench.context, { files: formatting });
      const told = await bench.say('Edit', edit("a='y'", "a='x'"));
      assert.match(told, /changed further when it was saved[\s\S]*-a='x'\n\+a="x"/);
      assert.match(await bench.say('Edit', edit('a="x"', 'a="z"')), /^Changed/);
      assert.equal(await textOf('f.txt'), 'a="z"\n');
    });
  });
});
