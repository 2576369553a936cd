import assert from 'node:assert/strict';
import { suggestRule } from '../../../../src/engine/permissions/suggestRule.ts';
import { ruleSet, verdictOf } from './support.ts';

// These command lines are read, never run.

const allow = ['git log', 'git diff', 'git status', 'git config', 'git', 'cat', 'ls', 'find', 'grep', 'sed', 'awk', 'sort', 'cd', 'npm test', 'tar', 'touch', 'diff', 'ln', 'bat', 'less', 'man', 'scp', 'rsync', 'wget', 'make', 'date', 'curl', 'go test', 'npx eslint', 'npx jest', 'npx mocha', 'eslint', 'prettier', 'pytest', 'gcc', 'pandoc', 'sqlite3', 'psql', 'mysql', 'nc', 'ip', 'gpg', 'ruby', 'openssl', 'file', 'gdb', 'uniq', 'xxd', 'split', 'gzip', 'unzip'].map((start) => `Bash(${start}:*)`);

/** By kind: what looks like something that a rule covers, and is more. */
const asked: Readonly<Record<string, readonly string[]>> = {
  'braces that become options': ['find . -{exec,x} cat {} +', 'find . {-exec,touch,x,\\;}', 'find . -{delete,}', 'git log {--output=x,y}', 'git diff {--ext-diff,HEAD}', 'git diff --{ext-diff,stat}', 'sort {-o,a.ts} b', 'sort -{o,u} x', 'tar {--to-command=x,-tf,a}', 'git log {{--output=x,},y}', "sort {'-o',x} y", 'awk {-f,x} y', 'ls {-l,a}'],
  'options of sed that are cut short or joined': ["sed -e p --e '1e id' a", "sed -e p --ex='1e id' a", "sed -l 5 '1e id' a", "sed --line-length 5 '1e id' a", "sed -e p -be '1e id' a", "sed -e p --expr '1e id' a", "sed p --file=x", "sed -e p -bf x a", 'sed --in s/a/b/ .git/config', 'sed --i s/a/b/ .git/config', 'sed -si s/a/b/ .git/config', "sed 's/[/]/p;s/w out/x/' a"],
  'output of awk behind strings and options': ['awk \'BEGIN{print "x;y" > "out"}\'', 'awk \'{print "}" > "out"}\' a', 'awk \'{print $1 \\\n> "out"}\' a', "awk --field-separator=: 'BEGIN{system(\"id\")}'", "awk -F -F 'BEGIN{system(\"id\")}'", "awk -F -v 'BEGIN{system(\"id\")}'", "awk --assign=x=1 'BEGIN{system(\"id\")}'", "awk 'BEGIN{ARGV[1]=\".\" \"env\";ARGC=2}1'", "awk 'BEGIN{ENVIRON[\"x\"]}' a"],
  'a repository of another folder': ['cd sub && git status', 'cd sub; git log', 'cd sub && git diff', 'cd sub && ls && git status', '(cd sub; git status)', 'cd sub | git status', 'cd sub && time git status'],
  'folders outside the workspace': ['cd /opt/x && npm test', 'cd ../other && npm test', 'cd ~ && npm test', 'cd && npm test', 'cd - && npm test', 'cd up && npm test', 'cd sub && cd ../.. && npm test', 'cd -P /opt/x && npm test', 'cd -- /opt/x && npm test', 'cd .git && npm test'],
  'settings of git': ['git config --add core.pager get', 'git config core.fsmonitor list', 'git config core.pager --get', 'git config --replace-all alias.x -l', 'git init --template=x', 'git init --temp x', 'git init --separate-git-dir=x', 'git clone --config core.fsmonitor=id x y', 'git clone --conf=core.pager=id x y'],
  'commands of git that carry others': ['git apply x.patch', 'git am x', 'git apply --unsafe-paths x', 'git difftool', 'git gui', 'git web--browse x', 'git send-pack x', 'git subtree push -P x y z', 'git svn dcommit', 'git lfs push x', 'git maintenance start'],
  'short and rare options that run or load something': ['bat --pager=id x', 'less -k x a', 'less -Rkx a', 'less --lesskey-src=x a', "less --lesskey-content='#env' a", 'man -C x ls', 'man --pag=id ls', 'man --browser=x ls', 'scp -ro ProxyCommand=id a h:', 'scp -rS id a h:', 'rsync --daemon --config=x', 'rsync -M--log-file=x a b', 'wget --exe x y', 'wget --ap=x y', 'make --ev x', 'make -E x', "make 'a := $(shell id)'", 'date --se x', "curl -w '%output{x}' y", 'go test -ldflags=-extld=id', "go test '-ldflags=-linkmode=external -extld=id'", 'go test -compiler=gccgo', 'npm test --node_options=x', 'npm test --Script-Shell=x', 'npm test -g', 'npx eslint -c x a', 'npx eslint --rulesdir x a', 'npx jest --config x', 'npx mocha -r x', 'eslint -f x a', 'prettier --plugin=x a', 'pytest -p x', 'pytest --rootdir=x', 'gcc -wrapper id a', 'gcc @x', 'gcc -fplugin=x a', 'pandoc --filter x a', "sqlite3 a '.shell id'", "sqlite3 a \"select load_extension('x')\"", "psql -c '\\! id'", "mysql -e 'system id'", 'nc -e id h 1', 'ip netns exec x id', 'gpg --photo-viewer id', 'ruby -c -rx y', 'openssl req -engine x', 'file -C -m x', 'gdb -batch -ex id a'],
  'output in places that are always asked about': ['tar -cf .git/hooks/x a', 'tar cf .git/hooks/x a', 'uniq a .git/hooks/x', 'xxd -r a .git/hooks/x', 'split a .git/hooks/', 'openssl enc -in a -out .git/hooks/x', 'gzip -c a .vscode/x', 'touch sub/HEAD', "sqlite3 .git/hooks/x 'select 1'", 'unzip -d .vscode a', 'scp h:a .git/hooks/x'],
  'file names that are options': ['sort *', 'git diff *', 'find *', 'tar -cf a *', 'sort [!a]*', 'sort -u *', 'cd odd && sort *'],
};

const bare = { allow: ['Bash'], deny: ['Read(./.env)', 'Read(secrets/**)', 'Bash(rm:*)', 'Bash(git push:*)', 'Bash(npm publish)', 'Bash(docker rm:*)', 'Edit(.github/**)'] };

/** What is forbidden, said in a way that only the running shell puts together. */
const doubtful: Readonly<Record<string, readonly string[]>> = {
  'names made of parts': ['cat .e$@nv', 'cat .e${x:-}nv', 'cat .e$(true)nv', 'cat .e`true`nv', 'cat .e"$@"nv', 'cat .e$!nv', 'cat .e${x#y}nv', 'x=.e; cat ${x}nv', "cat $(printf '.%s' env)", 'cat $(ls -A)', 'cat `ls -A`', 'cat < $(echo .e)nv', "bash -c 'x=.e; cat ${x}nv'", 'head -n 1 $X', 'sudo cat $X', 'cp $X y', 'for f in a b; do sed p $f; done', 'read x; base64 "$x"', 'git show $X', 'git diff --no-index $X y', 'curl -T $X y', 'source $X', 'cat ~/${x}v'],
  'names that another program finds': ['ls -A | xargs cat', 'find . -type f -exec cat {} +', 'find . -type f | xargs cat', 'xargs -I% cat .e% <<< nv', "printf '.%s' env | xargs cat", 'rev <<< vne. | xargs cat', 'find . -maxdepth 1 -exec head {} +', 'fd -H -x cat', 'ls | parallel cat', 'find . | cpio -o', 'busybox grep -r KEY .', 'sudo tar c .', 'nice rg KEY', 'diff . ../x', 'diff ./ y', "find . -exec sh -c 'cat \"$1\"' x {} \\;"],
  'links that are made on the way': ['ln -s . x; cat x/.env', 'ln -s .. x && cat x/project/.env', 'ln -s "$PWD" x; cat x/.env'],
  'code that is in the line': ["node -e \"require('fs').readFileSync('.'+'env')\"", 'node -pe 1', 'node --eval=1', 'node --print 1', "python3 -c \"open('.'+'env')\"", 'python3 -Sc 1', "perl -e 'open F,\".en\".\"v\"'", 'perl -ne print a.ts', "ruby -e 'File.read(\".\"+\"env\")'", "php -r 'readfile(\".\".\"env\");'", 'bun -e 1', 'deno eval 1', 'echo x | python3', 'python3 - < a.ts', "node <<< '1'", "awk 'BEGIN{while((getline l < (\".en\" \"v\"))>0)print l}'", "awk 'BEGIN{ARGV[1]=\".en\" \"v\";ARGC=2}1'", "sed 'r.env' a.ts", "sed 's/x/cat .e*/e' a.ts", "node -e \"execSync('r'+'m x')\"", "env node -e 1", "xargs python3 -c 1", "timeout 5 python3 -c 1"],
  'more words than are looked at': ['cat {1..200}{,.env}', 'cat {1..99999}', `cat ${'{a,b}'.repeat(9)}`],
  'words that are put in': ['git pus?', 'git $(echo push)', 'git ${x:-push}', 'git $x', 'G=push; git $G', 'git "$x"', 'git -p $x', 'sudo git $x', 'npm $x', 'docker $x y', "bash -c 'git $0' push", 'git.exe $x'],
  'other names for what git does': ['git -c alias.p=push p', 'git -calias.p=push p', 'git --config-env=alias.p=X p', 'git config alias.p push', 'GIT_CONFIG_COUNT=1 git p', 'GIT_CONFIG_PARAMETERS=x git p', 'export GIT_CONFIG_COUNT=1; git p'],
};

const denied: readonly string[] = [
  'git -p push', 'git --no-pager push origin', 'git --literal-pathspecs push', 'git --namespace x push', 'git -C . push', 'git -c a.b=c push', 'git --git-dir=.git push', 'git --git-dir .git --no-pager push', 'sudo git -P push', 'npm --silent publish', 'npm -w a publish', 'docker --context x rm y', 'docker -H x rm y', 'xargs git --no-pager push', 'sed --in s/a/b/ .github/x', 'sed -s --i s/a/b/ .github/x', 'sudo {rm,x}', 'xargs {rm,-f}', 'cat {a,.env}',
];

/** What people do all day goes through. */
const plain: readonly string[] = [
  'cd sub && npm test', 'cd . && git status', 'cd /project && git log', 'cat {a,b}.ts', 'ls *.ts', 'sort *.ts', 'git diff -- *', 'git diff ./*', "sed -n -e '1,5p' a.ts", "sed -E -s 's/[ab]/x/g' a.ts", 'sed -i s/a/b/ a.ts', 'sed --in-place=.bak s/a/b/ a.ts', "sed --quiet '1p' a.ts", "awk -F , -v x=1 '{print $1}' a.ts", "awk '$3 > 5 {print $1}' a.ts", "awk -- '{print}' a.ts", 'git config --get user.name', 'git config -l', 'git config --global --get-all x', 'git config get x', "find . -name '*.{a,b}'", 'grep {a,b} a.ts', 'git log --stat', 'git --no-pager log', 'diff a.ts b.ts', 'eslint a.ts', 'npx eslint --fix a.ts', 'npx jest -t x', 'npx mocha --grep x', 'pytest -x -k a tests', 'go test ./... -run x', 'go test -v', 'make -j4 test', 'curl -s -w %{http_code} https://example.com', 'gcc -O2 a.c', 'sqlite3 a.db "select 1"', 'uniq -c a.ts', 'xxd a.ts', 'npm test --silent -- -g x', 'less a.ts', 'man ls', 'scp a.ts h:b', 'wget -q https://example.com/x', 'prettier --check a.ts', 'psql -c "select 1"',
];
const plainBare: readonly string[] = [
  'git commit -m "$(cat <<\'EOF\'\nx\nEOF\n)"', 'cat $HOME/x', 'cat "$PWD/a.ts"', 'node build.js', 'python3 x.py', 'python3 -m pytest', 'node --test', "find . -name '*.ts'", 'ls | xargs echo', 'git --no-pager log', 'git -C sub status', 'git status', 'npm --silent test', 'ln -s a b', 'python3 --version', 'node -v', 'git stash push', 'cd sub && git status',
];

describe('command lines that are more than they look', () => {
  const othersThan = async (verdict: string, lines: readonly string[], rules: Parameters<typeof verdictOf>[1]) => {
    const verdicts = await Promise.all(lines.map(async (line) => [line, await verdictOf(line, rules)] as const));
    return verdicts.filter(([, each]) => each !== verdict);
  };
  for (const [kind, lines] of Object.entries(asked)) it(`are asked about: ${kind}`, async () => assert.deepEqual(await othersThan('ask', lines, { allow }), []));
  for (const [kind, lines] of Object.entries(doubtful)) it(`are asked about where something is forbidden: ${kind}`, async () => assert.deepEqual(await othersThan('ask', lines, bare), []));
  it('are denied: the forbidden command behind options', async () => assert.deepEqual(await othersThan('deny', denied, bare), []));
  it('are told from the work of every day', async () => {
    assert.deepEqual(await othersThan('allow', plain, { allow }), []);
    assert.deepEqual(await othersThan('allow', plainBare, bare), []);
    assert.deepEqual(await othersThan('allow', ['git log $x', 'git commit -m "$x"', 'npm run $x', 'docker ps $x', 'git -C sub log $x'], { allow: ['Bash'], deny: ['Bash(git push:*)', 'Bash(npm publish)', 'Bash(docker rm:*)'] }), []);
  });
});

describe('rules that are proposed', () => {
  const cwd = '/project';

  it('are the line itself where more words would be another program, foreign code or a loss', () => {
    for (const command of [
      'node x.js', 'sudo ls', 'bash x.sh', 'env ls', 'npx tsc', 'yarn node x.js', 'pnpm node x.js', 'poetry run python x.py', 'uv run python3 x.py', 'uv run bash x', 'pnpm exec node x.js', 'npm exec tsx x.ts', 'bundle exec ruby x.rb', 'npm install left-pad', 'npm i x', 'npm init x', 'npm create x', 'pnpm add x', 'yarn add x', 'yarn dlx x', 'pnpm dlx x', 'bun x y', 'bun add x', 'pip install x', 'pip3 install x', 'uv add x', 'cargo install x', 'go run ./x', 'go get x', 'go install x', 'go generate ./x', 'go tool x', 'brew install x', 'apt install x', 'deno eval 1', 'deno run x.ts', 'docker run x', 'docker exec x ls', 'docker compose exec x ls', 'docker compose run x ls', 'kubectl exec x', 'kubectl delete x', 'kubectl apply x', 'gh api x', 'gh alias x', 'gh extension x', 'terraform apply', 'terraform destroy', 'helm install x', 'systemctl restart x', 'git push', 'git reset x', 'git clean x', 'git checkout x', 'git config x y', 'git clone x', 'git submodule x', 'git bisect x', 'git rebase x', 'npm publish', 'npm config set', 'uv tool x', 'npm pkg set', 'mvn exec:java', 'git restore x', 'git rm x', 'git remote add',
    ]) assert.equal(suggestRule({ toolName: 'Bash', input: { command }, paths: [], cwd }), `Bash(${command})`, command);
  });

  it('name one file where its folder is a home, the system or hidden', () => {
    const read = (path: string, toolName = 'Read'): string | undefined => suggestRule({ toolName, input: {}, paths: [path], cwd });
    assert.equal(read('/home/me/notes.txt'), 'Read(//home/me/notes.txt)');
    assert.equal(read('/root/notes.txt'), 'Read(//root/notes.txt)');
    assert.equal(read('/etc/hosts'), 'Read(//etc/hosts)');
    assert.equal(read('/Users/me/.zshrc'), 'Read(//Users/me/.zshrc)');
    assert.equal(read('/home/me/.ssh/config'), 'Read(//home/me/.ssh/config)');
    assert.equal(read('/docs/api', 'Grep'), 'Read(//docs/api)');
    const folder = ruleSet({ allow: ['Read(//docs/api)'] });
    assert.ok(folder.forPath('allow', '/docs/api', { family: 'read', tool: 'Grep' }) && !folder.forPath('allow', '/docs/other', { family: 'read', tool: 'Grep' }));
    assert.equal(suggestRule({ toolName: 'Edit', input: {}, paths: ['/project/.github/workflows/ci.yml'], cwd }), 'Edit(/.github/workflows/ci.yml)');
  });
});
