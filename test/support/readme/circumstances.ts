/**
 * What the commands of the documents need to run in a scratch home: values for their placeholders, things that must be
 * there before, answers to their questions. And the commands that no test runs, each with its reason.
 */

/** A command that no test of ours runs as it stands. */
export interface NotRun {
  readonly path: string
  readonly command: string
  readonly reason: string
}

export const NOT_RUN: readonly NotRun[] = [
  {
    path: 'README.md',
    command: 'npm ci && npm start',
    reason: 'npm ci replaces the packages that this run uses; .ci/run runs it, and npm start is run in the next block',
  },
  { path: 'README.md', command: 'npm ci && npm test', reason: 'it is what runs this test; .ci/run runs both' },
  {
    path: 'CONTRIBUTING.md',
    command: 'npm run build',
    reason: 'it replaces the program that this run uses; npm test builds',
  },
  {
    path: 'examples/platform-plugin/README.md',
    command: 'npm install && npm test',
    reason: 'svc is not in a registry yet; test/examples/pack.test.ts installs the packed svc and runs these tests',
  },
  {
    path: 'examples/webhook-plugin/README.md',
    command: 'npm install && npm test',
    reason: 'svc is not in a registry yet; test/examples/pack.test.ts installs the packed svc and runs such tests',
  },
  {
    path: 'plugins/messaging/gateway-cli/README.md',
    command: 'svc gateway contact',
    reason:
      'it needs a platform with an address; test/plugins/messaging/gateway-cli/contact.test.ts has one whose gateway runs',
  },
  {
    path: 'plugins/dashboard/dashboard-operations/README.md',
    command:
      'curl -X POST http://127.0.0.1:9119/api/gateway/drain -H "Authorization: Bearer $SVC_GATEWAY_DRAIN_SECRET" -H \'Content-Type: application/json\' -d \'{"action": "drain"}\'',
    reason:
      'it needs a dashboard and a gateway; test/plugins/dashboard/dashboard-operations/drain.test.ts asks the same of both',
  },
  ...['svc setup', 'svc setup model'].map((command) => ({
    path: 'plugins/operations/guided-setup/README.md',
    command,
    reason: 'it asks until it is done; test/plugins/operations/guided-setup/guided-setup.test.ts answers its questions',
  })),
  ...['svc update --check', 'svc update', 'svc update --rollback'].map((command) => ({
    path: 'plugins/operations/updates/README.md',
    command,
    reason: 'it needs a registry and replaces what runs this test; test/faults/update.test.ts updates installations',
  })),
  ...['npm install -g @github/copilot', 'svc auth add copilot-acp'].map((command) => ({
    path: 'plugins/providers/provider-copilot-acp/README.md',
    command,
    reason:
      'it needs a registry and an account; test/plugins/providers/provider-copilot-acp/provider.test.ts signs in at a stand-in',
  })),
  {
    path: 'plugins/messaging/platforms/platform-simplex/README.md',
    command: 'simplex-chat -p 5225 -d ~/.simplex/svc',
    reason: 'no package of Debian has the program; the stand-in speaks its protocol',
  },
  {
    path: 'plugins/messaging/gateway-cli/README.md',
    command: 'svc gateway install',
    reason:
      'it changes the services of the machine; test/plugins/messaging/gateway-cli/service-units.test.ts has the files that it writes',
  },
  {
    path: 'plugins/messaging/gateway-cli/README.md',
    command: 'svc gateway uninstall',
    reason:
      'it changes the services of the machine; test/plugins/messaging/gateway-cli/service-units.test.ts has what it removes',
  },
  {
    path: 'examples/embed/README.md',
    command: 'npm install',
    reason: 'svc is not in a registry yet; test/examples/pack.test.ts installs the packed svc',
  },
  {
    path: 'examples/embed/README.md',
    command: 'npm start -- "list the files here"',
    reason: 'it needs the packages; test/examples/pack.test.ts runs the same program',
  },
  {
    path: 'examples/provider-plugin/README.md',
    command: 'svc chat -q "Say hello."',
    reason: 'it needs Ollama; examples/provider-plugin/index.test.ts asks a stand-in that speaks its protocol',
  },
  {
    path: 'plugins/safety/access/README.md',
    command: 'svc pairing approve telegram K7QW2M9X',
    reason: 'the code comes from a chat; test/plugins/safety/access/pairing.test.ts approves one',
  },
  {
    path: 'plugins/providers/auth-cli/README.md',
    command: 'svc auth test perplexity --model sonar',
    reason: 'it needs an account; test/plugins/providers/auth-cli/cli.test.ts asks a stand-in',
  },
  {
    path: 'plugins/terminal-ui/completion/README.md',
    command: 'eval "$(svc completion zsh)"',
    reason: 'it is for zsh, which the machines of the tests do not have',
  },
  {
    path: 'plugins/messaging/outbox/README.md',
    command: 'svc outbox retry 12.0',
    reason: 'the message comes from a chat; test/plugins/messaging/outbox/outbox.test.ts sends one again',
  },
  {
    path: 'plugins/sessions/caches/README.md',
    command: 'npm install -g @keyv/redis',
    reason: 'it changes the packages of the machine; test/scenarios/cache-server.test.ts uses the package with a Redis',
  },
  {
    path: 'plugins/safety/security-audit/README.md',
    command: 'svc security audit',
    reason: 'it needs the public database; test/plugins/safety/security-audit asks a stand-in',
  },
  {
    path: 'plugins/safety/security-audit/README.md',
    command: 'svc security audit --fail-on high',
    reason: 'it needs the public database; test/plugins/safety/security-audit asks a stand-in',
  },
  {
    path: 'plugins/safety/security-audit/README.md',
    command: 'svc security audit --json --skip-plugins',
    reason: 'it needs the public database; test/plugins/safety/security-audit asks a stand-in',
  },
  {
    path: 'plugins/messaging/platforms/platform-ntfy/README.md',
    command: "curl -d 'What is on my list today?' https://ntfy.sh/my-agent-8f2kq0",
    reason: 'it needs the public server; test/plugins/messaging/platforms/platform-ntfy posts the same to a stand-in',
  },
  {
    path: 'plugins/sessions/replay/README.md',
    command: 'svc fork last --at 12 --provider anthropic --model claude-opus-4',
    reason: 'it needs an account; test/plugins/sessions/replay/replay.test.ts forks with another model',
  },
  ...[
    'svc skills search pdf',
    'svc skills install anthropics/skills/skills/pdf',
    'svc skills inspect clawhub:weather',
    'svc skills update pdf',
    'svc skills remove pdf',
    'svc skills restore pdf',
  ].map((command) => ({
    path: 'plugins/skills/skill-hub/README.md',
    command,
    reason: 'it needs the public hubs; test/plugins/skills/skill-hub asks stand-ins',
  })),
  {
    path: 'plugins/skills/skills/README.md',
    command: 'svc skills curator run --consolidate',
    reason: 'it needs a model and skills that the agent wrote; test/plugins/skills/skills/curator.test.ts has both',
  },
  ...['svc skills curator pin release-notes', 'svc skills curator restore release-notes'].map((command) => ({
    path: 'plugins/skills/skills/README.md',
    command,
    reason: 'it needs a skill that the agent wrote; test/plugins/skills/skills/curator.test.ts has one',
  })),
  {
    path: 'plugins/work/cron-cli/README.md',
    command: 'svc cron add "remind me every weekday at nine to stretch"',
    reason:
      'it needs a model that reads it; test/plugins/work/cron-cli/cron-cli.test.ts has one, and a person who says yes',
  },
  {
    path: 'plugins/work/kanban-dispatcher/README.md',
    command: 'svc kanban dispatch --watch',
    reason:
      'it runs until it is stopped; test/plugins/work/kanban-dispatcher/gateway.test.ts lets the gateway do the same',
  },
  ...['svc kanban decompose t_12ab34cd', 'svc kanban decompose --all', 'svc kanban specify t_12ab34cd'].map(
    (command) => ({
      path: 'plugins/work/kanban-decompose/README.md',
      command,
      reason: 'it needs a model that plans; test/plugins/work/kanban-decompose/decompose.test.ts has one',
    }),
  ),
  ...['svc auth add nous', 'svc auth add openai-codex', 'svc auth add xai-oauth', 'svc auth add minimax-oauth'].map(
    (command) => ({
      path: 'plugins/providers/auth-device-code/README.md',
      command,
      reason:
        'it needs an account and a browser; test/plugins/providers/auth-device-code/flow.test.ts signs in at stand-ins',
    }),
  ),
  ...[
    'svc auth add anthropic --flow oauth',
    'svc auth add openrouter --flow oauth',
    'svc auth add xai-oauth --flow oauth',
  ].map((command) => ({
    path: 'plugins/providers/auth-pkce/README.md',
    command,
    reason: 'it needs an account and a browser; test/plugins/providers/auth-pkce/flow.test.ts signs in at stand-ins',
  })),
  ...[
    'svc auth add qwen-oauth',
    'svc auth add anthropic --flow claude-code',
    'svc auth add openai-codex --flow codex',
  ].map((command) => ({
    path: 'plugins/providers/auth-external/README.md',
    command,
    reason: 'it waits for the file of another program; test/plugins/providers/auth-external/flow.test.ts writes them',
  })),
  ...['az login', 'gcloud auth application-default login'].map((command) => ({
    path: 'plugins/providers/auth-cloud/README.md',
    command,
    reason: 'it needs an account of the cloud; test/plugins/providers/auth-cloud/clouds.test.ts has the identities',
  })),
  ...['svc auth add nous', 'svc portal status'].map((command) => ({
    path: 'plugins/providers/portal/README.md',
    command,
    reason: 'it needs an account of the portal; test/plugins/providers/portal/cli.test.ts asks a stand-in',
  })),
  ...[
    'svc backup verify svc-2026-01-01-090000.tar.gz.age',
    'svc backup restore svc-2026-01-01-090000.tar.gz.age',
    'svc backup restore --undo',
  ].map((command) => ({
    path: 'plugins/operations/backups/README.md',
    command,
    reason: 'the file has the name of its moment; test/plugins/operations/backups makes and restores one',
  })),
  ...[
    'svc export --sessions --out talks.tar.gz',
    'svc export --with-secrets --out all.tar.gz.age',
    'svc import laptop.tar.gz --dry-run',
    'svc import laptop.tar.gz',
  ].map((command) => ({
    path: 'plugins/operations/transfer/README.md',
    command,
    reason:
      'it needs a conversation, a passphrase or a file of another machine; test/plugins/operations/transfer has all of them',
  })),
  ...['svc uninstall', 'svc uninstall --purge'].map((command) => ({
    path: 'plugins/operations/uninstall/README.md',
    command,
    reason: 'it removes what runs this test; test/plugins/operations/uninstall/installed.test.ts removes installations',
  })),
  ...[
    'curl -H "X-Svc-Session-Token: $TOKEN" localhost:9119/api/providers/oauth',
    'curl -H "X-Svc-Session-Token: $TOKEN" -X POST localhost:9119/api/providers/oauth/nous/start',
    'curl -H "X-Svc-Session-Token: $TOKEN" localhost:9119/api/providers/oauth/nous/poll/<session_id>',
  ].map((command) => ({
    path: 'plugins/dashboard/dashboard-sign-in/README.md',
    command,
    reason:
      'it needs a dashboard, its token and an account; test/plugins/dashboard/dashboard-sign-in/routes.test.ts asks the same of one with stand-ins',
  })),
  ...[
    'curl -F email=you@example.com -F password=<password> https://api.pushover.net/1/users/login.json',
    'curl -F secret=<secret> -F name=svc -F os=O https://api.pushover.net/1/devices.json',
  ].map((command) => ({
    path: 'plugins/messaging/platforms/platform-pushover/README.md',
    command,
    reason: 'it needs the public service; the stand-in of the plugin has its answers',
  })),
  {
    path: 'plugins/providers/auth-exchange/README.md',
    command: 'svc auth add copilot',
    reason:
      'it needs an account and a browser; test/plugins/providers/auth-exchange/github.test.ts signs in at a stand-in',
  },
  {
    path: 'plugins/dashboard/web-ui/README.md',
    command: 'svc dashboard --no-open --port 0 --isolated',
    reason: 'it runs until it is stopped; test/plugins/dashboard/web-ui opens one in a browser',
  },
  {
    path: 'plugins/dashboard/dashboard-login/README.md',
    command: 'svc dashboard --host 0.0.0.0 --no-open',
    reason: 'it runs until it is stopped; test/plugins/dashboard/dashboard-login/login.test.ts signs in at one',
  },
  {
    path: 'plugins/messaging/platforms/platform-gotify/README.md',
    command:
      "curl -H 'X-Gotify-Key: <token of ask>' -F 'message=What is on my list today?' https://gotify.example.com/message",
    reason: 'it needs a server; the stand-in of the plugin takes the same',
  },
  {
    path: 'plugins/messaging/platforms/platform-nextcloud/README.md',
    command:
      'occ talk:bot:install -f webhook -f response -f reaction svc <secret> https://svc.example.com/webhooks/nextcloud',
    reason: 'it is a command of the server of Nextcloud',
  },
  ...[
    'npm run bench',
    'npm run bench -- --only startup,one-shot',
    'npm run bench -- --runs 31',
    'npm run bench -- --node 20,24',
    'npm run bench -- --json > bench.json',
  ].map((command) => ({
    path: 'test/bench/README.md',
    command,
    reason: 'it measures for minutes and wants the machine for itself',
  })),
]

/** What the documents leave to the reader. The first that fits a command is used; `<...>` that none fits is a word. */
export const PLACEHOLDERS: readonly (readonly [RegExp, string])[] = [
  [/Bearer <key>/g, 'Bearer $API_SERVER_KEY'],
  [/127\.0\.0\.1:8642/g, '127.0.0.1:$API_SERVER_PORT'],
  [/<(?!<)[^<>]+>/g, 'word-0123456789abcdef'],
]

/** What is there before the commands of a document. */
export interface Circumstances {
  /** Shell commands. */
  readonly before?: readonly string[]
  /** The gateway runs, with its API server. */
  readonly hasGateway?: true
  /** Default: a model on loopback answers. */
  readonly hasModel?: false
  /** Files below the working folder. */
  readonly files?: Readonly<Record<string, string>>
  /** Lines of config.yaml besides the model; `MODEL_URL` and `OLLAMA_URL` are where servers are, `FREE_PORT` is a port. */
  readonly config?: string
  /** Words of the document that only this home can fill in. */
  readonly replaced?: Readonly<Record<string, string>>
}

/** What a program says on a terminal, and what a person types then. */
export type Dialogue = readonly { readonly hears: string; readonly types: string }[]

const asked = 'svc chat -q "What is in this folder?"'
const key = 'svc config set API_SERVER_KEY "$(openssl rand -hex 24)"'
const sessionId = "$(svc sessions list --json | node -p 'JSON.parse(fs.readFileSync(0)).at(0).id')"
const consent = [{ hears: '[y/N]', types: 'y\r' }]
const providers = (...names: string[]) =>
  `providers:\n${names.map((name) => `  ${name}:\n    base_url: MODEL_URL\n`).join('')}`

export const CIRCUMSTANCES: Readonly<Record<string, Circumstances>> = {
  'CONTRIBUTING.md': { before: ['ln -s "$REPOSITORY/dist" dist'] },
  'examples/hello-plugin/README.md': { before: ['cp -r "$REPOSITORY/examples/hello-plugin" .'] },
  'examples/provider-plugin/README.md': {
    before: ['cp -r "$REPOSITORY/examples/provider-plugin" .'],
  },
  'plugins/http/api-catalogue/README.md': { before: [key], hasGateway: true },
  'plugins/http/api-sessions/README.md': { before: [key], hasGateway: true },
  'plugins/work/kanban-api/README.md': { before: [key], hasGateway: true },
  'plugins/providers/auth-cli/README.md': {
    files: { 'key.txt': 'sk-0123456789abcdef\n' },
    config: providers('openai'),
  },
  'plugins/safety/command-hooks/README.md': {
    config: 'hooks:\n  PreToolUse:\n    - hooks: [{ type: command, command: "true" }]\n',
  },
  'plugins/terminal-ui/chat/README.md': { before: ['git init -q'] },
  'plugins/terminal-ui/completion/README.md': { before: ['mkdir -p ~/.config/fish/completions'] },
  'plugins/configuration/config-cli/README.md': { hasModel: false },
  'plugins/messaging/gateway-cli/README.md': {
    config: 'platforms:\n  ntfy:\n    server: http://127.0.0.1:9\n',
    before: ['svc config set NTFY_TOPIC a-topic'],
    replaced: { NAME: 'ntfy' },
  },
  'plugins/providers/model-cli/README.md': {
    config: `${providers('groq')}  ollama:\n    base_url: OLLAMA_URL\n`,
    before: ['svc config set GROQ_API_KEY gsk-0123456789abcdef'],
  },
  'plugins/configuration/plugin-manager/README.md': {
    before: [
      'mkdir ~/src',
      'cd ~/src && svc plugins new rain && svc plugins new snow',
      'svc plugins install ~/src/rain --yes',
      'sed -i s/0.1.0/0.1.1/ ~/src/rain/plugin.json',
    ],
    replaced: { 'svc plugins new NAME': 'svc plugins new hail', SPEC: '~/src/snow', DIR: './hail', NAME: 'rain' },
  },
  'plugins/sessions/replay/README.md': { before: [asked], replaced: { '20261121_104855_5c532b': sessionId } },
  'plugins/sessions/sessions-cli/README.md': { before: [asked], replaced: { '20260314_0926': sessionId } },
  'plugins/sessions/storage/README.md': { replaced: { ' [file]': '' } },
  'plugins/sessions/trace/README.md': { before: [asked], replaced: { '4711': 'last' } },
  'plugins/messaging/platforms/platform-telegram/README.md': {
    config: 'platforms:\n  telegram:\n    base_url: http://127.0.0.1:9\n',
    replaced: { '123456:ABC...': '123456:ABC-DEF1234ghIkl-zyx57W2v1u123ew11' },
  },
  'plugins/http/webhook/README.md': {
    config: 'platforms:\n  webhook:\n    port: FREE_PORT\n',
    files: { 'pull-request.json': '{"pull_request": {"title": "Fix", "number": 1}}' },
  },
}

/** The form that is run instead of one that a person types at a terminal, by the command. */
export const DIALOGUES: Readonly<Record<string, Dialogue>> = {
  'svc auth add anthropic': [{ hears: 'Key for Anthropic', types: 'sk-ant-0123456789abcdef\r' }],
  'svc auth add openai': [{ hears: 'Key for OpenAI', types: 'sk-0123456789abcdef\r' }],
  'svc auth remove openai team': consent,
  'svc config set OPENAI_API_KEY': [{ hears: 'OPENAI_API_KEY', types: 'sk-0123456789abcdef\r' }],
  'svc model pick': [
    { hears: 'Provider (number or name)', types: 'custom\r' },
    { hears: 'Model (number or name)', types: '1\r' },
  ],
  'svc dashboard password': [
    { hears: 'Password of admin', types: 'correct horse battery\r' },
    { hears: 'Once more', types: 'correct horse battery\r' },
  ],
  'svc backup create --encrypt': [
    { hears: 'assphrase', types: 'correct horse battery\r' },
    { hears: 'nce more', types: 'correct horse battery\r' },
  ],
  'svc snapshot restore 1': consent,
  svc: [{ hears: 'fake-model', types: '/quit\r' }],
  'svc plugins install ./greeter': consent,
  'svc plugins install ~/src/snow': consent,
  'svc plugins install ./weather': consent,
  'svc plugins install ./hello-plugin': consent,
  'svc plugins install ./provider-plugin': consent,
  'svc plugins remove rain': consent,
  'svc plugins update rain': consent,
  'svc plugins rollback rain': consent,
  'svc chat': [
    { hears: 'fake-model', types: '/greet Ada\r' },
    { hears: 'Hello, Ada!', types: '/quit\r' },
  ],
}
