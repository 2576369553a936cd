/** `command`: how this program is called. */
export const helpText = (command: string): string => `Turnstone on the command line: one request to the agent, in the current folder.

  ${command} -p "rename total to sum in cart.ts"
  echo "explain src/cart.ts" | ${command} -p
  ${command} -p "and now run the tests" --continue
  ${command} --resume <session> --rewind-files <user message id>
  ${command} acp                 serve an editor that speaks the Agent Client Protocol (Zed, JetBrains); takes the
                                options under Agent

Request
  -p, --print ["…"]            send this prompt (or standard input) and print the answer
  --output-format <format>     text (the answer), json (the result), stream-json (every message, one per line)
  --include-partial-messages   with stream-json: the answer's events as they come

Session
  --continue                   go on with this folder's newest session
  --resume <id or path>        go on with this session
  --fork-session               with one of these: go on in a copy of it, and leave it as it is
  --session-id <uuid>          id for a new session

Agent
  --model <model>              opus, sonnet, haiku or a model's full name
  --fallback-model <model>     answers when the first one is overloaded
  --permission-mode <mode>     ask (default): what would have to be asked is refused, for nobody is there
                               accept-edits: edits inside the folder go through
                               plan: nothing is changed
                               bypass: nothing is asked
  --allowedTools <rules>       what is not asked about: "Bash(npm test:*),Edit(src/**)"
  --disallowedTools <rules>    what is never done: "Read(./.env),Bash(git push:*)"
  --mcp-config <file or json>  MCP servers beside those of the settings; those of the folder’s .mcp.json wait for your yes:
                               turnstone -p "/mcp" lists them, -p "/mcp enable <name>" lets one run in this folder
  --max-turns <n>              at most this many requests to the model
  --max-budget-usd <usd>       stop before this is exceeded
  --prices <file>              what models cost where you use them, as JSON, before the known prices:
                               { "my-model": { "input": 3, "output": 15, "cacheRead": 0.3 } } (USD per million tokens)
  --max-output-tokens <n>      at most this many tokens of answers, all requests together
  --unattended                 nobody is waiting: sit out rate limits and overload, however long they last
  --keep-env <names>           variables that commands may see although they are named like a secret: "GH_TOKEN,NPM_TOKEN"
  --demo                       use the built-in demo model: no key, no network, no cost

Going back (with --resume or --continue)
  --rewind-files <id>          put the files back to where they were at this user message
  --rewind <id>                the files and the conversation
  --undo-rewind                take the last of these back: all becomes what it was before, whatever was said since
  --redo                       make it again, as long as nothing was said since it was taken back
  --merge                      of files that were changed since the agent wrote them: keep these changes, where nothing
                               is in conflict
  --overwrite, --skip          of such files, or of those that can't be merged: go back all the same, or leave them
  --dry-run                    say what would be done, and do nothing

Other
  --verbose                    say more on standard error
  --version, --help

Environment
  ANTHROPIC_API_KEY            the key
  ANTHROPIC_BASE_URL           another address of the same API
  TURNSTONE_HOME               where sessions are kept (~/.turnstone)
  TURNSTONE_MIRROR_URL         a bucket that keeps sessions a second time: https://s3.example.com/bucket, with
  TURNSTONE_MIRROR_ACCESS_KEY_ID and _SECRET_ACCESS_KEY (or AWS_…), _REGION and _PREFIX
  MCP_TIMEOUT, MCP_TOOL_TIMEOUT  milliseconds that an MCP server has to start (30000), and to carry out a call (600000)
  CLAUDE_CONFIG_DIR            where Claude Code keeps its sessions (~/.claude); they can be read and forked
  TURNSTONE_PROFILE_STARTUP=1  print how long starting took, on standard error
  TURNSTONE_TELEMETRY=1        numbers to an OpenTelemetry collector, as OTEL_* say

Ends with 0 when the request succeeded, 1 when not, 130 after Ctrl+C, 143 after a termination signal.
`;
