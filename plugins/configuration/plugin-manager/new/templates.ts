/**
 * What `svc plugins new` writes. In the code, NAME is the plugin's name, TOOL a tool's, and «...» stands in TypeScript
 * only. Texts, not files: the built program has no folder for each plugin.
 */
import type { Manifest } from 'svc/sdk/host'
import { type Runner, writeTests } from './template-tests.ts'

export const kinds = ['tool', 'platform', 'provider', 'hooks'] as const
export type Kind = (typeof kinds)[number]
export type Language = 'ts' | 'js'

interface Template {
  readonly manifest: Pick<Manifest, 'description' | 'with' | 'contributes'>
  readonly code: string
  /** What the README says of it. */
  readonly about: string
  /** A command after `svc` that shows it at work. */
  readonly trial: string
}

export function isKind(text: string): text is Kind {
  return kinds.some((kind) => kind === text)
}

/** The files of a new plugin by path, and a command to try it with. */
export function filesFor(
  kind: Kind,
  name: string,
  language: Language,
  runner: Runner = 'node',
): { readonly files: Readonly<Record<string, string>>; readonly trial: string } {
  const { manifest, code, about, trial } = templates[kind]
  const fill = (text: string) => {
    const typed = text.replace(/«([^»]*)»/g, language === 'ts' ? '$1' : '')
    return typed.replaceAll('NAME', name).replaceAll('TOOL', name.replaceAll('-', '_'))
  }
  const basics = { name, version: '0.1.0', sdk: '^0.2.0', kind: kind === 'hooks' ? 'service' : kind }
  const files = {
    'plugin.json': fill(json({ ...basics, ...manifest })),
    [`index.${language}`]: fill(code),
    'README.md': fill(readme(about, runner)),
    'package.json': json(packageJson(name, fill(manifest.description), language, runner)),
    [`test/${name}.test.js`]: fill(writeTests(kind, runner)),
    [language === 'ts' ? 'tsconfig.json' : 'jsconfig.json']: json(compilerConfig(language)),
    '.gitignore': 'node_modules/\n*.tgz\n',
  }
  return { files, trial: fill(trial) }
}

function json(value: unknown): string {
  return `${JSON.stringify(value, undefined, 2)}\n`
}

function packageJson(name: string, description: string, language: Language, runner: Runner): object {
  return {
    name: `svc-plugin-${name}`,
    version: '0.1.0',
    description,
    type: 'module',
    main: `index.${language}`,
    files: [`index.${language}`, 'plugin.json'],
    keywords: ['svc-plugin'],
    scripts: { test: runner === 'vitest' ? 'vitest run' : 'node --test' },
    peerDependencies: { svc: '^0.2.0', zod: '>=4.2' },
    peerDependenciesMeta: { svc: { optional: true }, zod: { optional: true } },
    ...(runner === 'vitest' && { devDependencies: { vitest: '>=3' } }),
  }
}

function compilerConfig(language: Language): object {
  const compilerOptions = {
    target: 'es2023',
    lib: ['es2023', 'dom'],
    module: 'nodenext',
    types: [],
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    ...(language === 'ts'
      ? { allowImportingTsExtensions: true, erasableSyntaxOnly: true }
      : { allowJs: true, checkJs: true, noImplicitAny: false }),
  }
  return { compilerOptions, include: [`*.${language}`] }
}

function readme(about: string, runner: Runner): string {
  const test =
    runner === 'node'
      ? 'npm test                 # the same from your own tests, and a story; nothing to install'
      : 'npm install && svc plugins verify --link . && npm test    # your own tests: the same, and a story'
  return `# NAME

${about}

## While you change it

\`\`\`
svc plugins dev .        # svc chat with this folder in place: edits are followed, faults name file and line
svc plugins verify .     # the manifest and every contract
${test}
svc plugins install .    # takes a copy for every svc; after a change: svc plugins update NAME
\`\`\`

\`node_modules/svc\` and \`node_modules/zod\` are links to the svc that made this folder, so that editors and tests find
them. \`npm install\` takes them away; \`svc plugins verify --link .\` puts them back.

The tests open a real svc in a home of its own, with this folder in it (\`testKernel({ dirs: [dir] })\`), and ask a scripted
model. They need no account and no network, and run on Node 20, 22 and 24.

To publish it: \`npm publish\`. The keyword \`svc-plugin\` in package.json lets others install it by its package name.
`
}

const tool: Template = {
  manifest: { description: 'Greets people: a tool for the model.', with: ['agent'], contributes: { tools: ['TOOL'] } },
  about: `A tool for the model. It greets whom it is told to, with the words in \`config.yaml\`:

\`\`\`yaml
plugins:
  entries:
    NAME:
      greeting: Good morning
\`\`\``,
  trial: 'chat -q "What can you do?"',
  code: `/** NAME: one tool for the model. */
import { definePlugin, defineTool, Tools } from 'svc/sdk'
import { z } from 'zod'

/** What config.yaml may hold under plugins.entries.NAME. */
const config = z.object({
  greeting: z.string().default('Hello').meta({ description: 'Word before the name.' }),
})

export default definePlugin({
  config,
  setup(ctx) {
    ctx.add(
      Tools,
      defineTool({
        name: 'TOOL',
        description: 'Greets a person by name.',
        input: z.object({ name: z.string().min(1).describe('Whom to greet') }),
        effect: 'pure',
        toolset: 'NAME',
        // It touches nothing but what it is given: see ToolReach.
        reach: 'nothing',
        run: async ({ name }) => ctx.config.greeting + ', ' + name + '!',
      }),
    )
  },
})
`,
}

const provider: Template = {
  manifest: {
    description: 'A model that says again what it was told.',
    with: ['models'],
    contributes: { providers: ['NAME'] },
  },
  about: `A provider of models. Its only model says again what it was told. Ask a service of yours in \`stream\` instead, with
\`ctx.use(Net)\`, and make events of what it answers.`,
  trial: 'chat --provider NAME --model NAME-1 -q "Hello!"',
  code: `/** NAME: a provider with one model, which says again what it was told. */
import { definePlugin } from 'svc/sdk'
import { Providers } from 'svc/sdk/provider'

export default definePlugin({
  setup(ctx) {
    ctx.add(Providers, {
      name: 'NAME',
      label: 'NAME',
      status: async () => ({ ready: true, detail: 'It needs no account.' }),
      models: async () => [{ id: 'NAME-1' }],
      async *stream({ messages, signal }) {
        const question = messages.findLast((message) => message.role === 'user')
        const answer = 'You said: ' + (question?.text ?? 'nothing')
        // A failure is an event as well: a stream never throws.
        for (const word of answer.split(/(?<= )/)) {
          if (signal.aborted) {
            yield { type: 'failed', failure: { kind: 'aborted', message: 'It was interrupted.', retryable: false } }
            return
          }
          yield { type: 'text', text: word }
        }
        yield { type: 'end', reason: 'stop' }
      },
    })
  },
})
`,
}

const hooks: Template = {
  manifest: { description: 'Listens in on turns: one hook of each kind.', with: ['agent'] },
  about: `One listener of each of the four kinds of hook: it is told when a turn ends, trims what comes in, keeps tools away from
\`.env\` files, and measures how long tools take. \`logs/svc.log\` in the home has what it writes down.`,
  trial: 'chat -q "What is in this folder?"',
  code: `/** NAME: one listener of each kind of hook. */
import { Clock, definePlugin, BeforeUserMessage, BeforeToolCall, AroundToolCall, TurnEnded } from 'svc/sdk'

export default definePlugin({
  setup(ctx) {
    // notify: is told.
    ctx.on(TurnEnded, ({ sessionId, reason, usage }) => {
      ctx.log.info('a turn ended', { sessionId, reason, usage })
    })

    // transform: returns the value changed, or nothing to leave it as it is.
    ctx.on(BeforeUserMessage, (text) => text.trim())

    // decide: all listeners are heard and the strictest verdict counts; to return nothing is to abstain. A failure denies.
    ctx.on(BeforeToolCall, ({ input }) => {
      if (!String(JSON.stringify(input)).includes('.env')) return undefined
      return { decision: 'deny', reason: 'NAME keeps .env files out of reach.' }
    })

    // wrap: runs around the work.
    ctx.on(AroundToolCall, async (request, next) => {
      const start = ctx.use(Clock).monotonic()
      const result = await next(request)
      ctx.log.info('a tool ran', { name: request.name, ms: Math.round(ctx.use(Clock).monotonic() - start) })
      return result
    })
  },
})
`,
}

const platform: Template = {
  manifest: {
    description: 'A chat platform behind a small HTTP interface.',
    with: ['gateway'],
    contributes: { platforms: ['NAME'] },
  },
  about: `A chat platform that is reached over HTTP. It expects of the service at \`plugins.entries.NAME.url\`:

| Request | Answer |
|---|---|
| \`GET /health\` | 200 |
| \`GET /messages?after=N\` | \`[{ "seq", "messageId", "chatId", "userId", "text" }]\`, those with \`seq\` over N |
| \`POST /messages\` with \`{ "chatId", "text", "key" }\` | \`{ "messageId" }\`, the same again for the same \`key\` |`,
  trial: 'plugins info NAME',
  code: `/** NAME: a chat platform that is asked for messages over HTTP. */
«import type { GatewayConnection } from 'svc/sdk/platform'
»import { Clock, definePlugin, errorMessage, Net, SvcError } from 'svc/sdk'
import { Platforms } from 'svc/sdk/platform'
import { z } from 'zod'

/** What config.yaml may hold under plugins.entries.NAME. */
const config = z.object({
  url: z.string().default('http://127.0.0.1:8008').meta({ description: 'Address of the chat service.' }),
  poll_seconds: z.number().positive().default(2).meta({ description: 'Seconds between two looks for messages.' }),
})

export default definePlugin({
  config,
  setup(ctx) {
    let open = new AbortController()
    ctx.defer(() => open.abort())

    const call = async (path«: string», body«?: object») => {
      const post = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
      const request = { url: ctx.config.url + path, signal: open.signal, ...(body ? post : {}) }
      const response = await ctx.use(Net).request(request)
      const text = await response.text()
      if (response.status === 200) return text && JSON.parse(text)
      throw new SvcError('PLATFORM_REFUSED', request.url + ' answered ' + response.status + '. Check the url in config.yaml.')
    }

    /** A message counts as taken once \`receive\` has resolved; what was not taken is asked for again. */
    const listen = async (link«: GatewayConnection», signal«: AbortSignal») => {
      try {
        for (let seen = 0; !signal.aborted; await ctx.use(Clock).sleep(ctx.config.poll_seconds * 1000, signal))
          for (const { seq, messageId, chatId, userId, text } of await call('/messages?after=' + seen)) {
            await link.receive({ platform: 'NAME', messageId, chatId, userId, text })
            seen = seq
          }
      } catch (error) {
        if (!signal.aborted) link.lost(errorMessage(error))
      }
    }

    ctx.add(Platforms, {
      name: 'NAME',
      label: 'NAME',
      limits: { maxTextLength: 4000, idempotency: 'key' },
      async connect(link) {
        open = new AbortController()
        await call('/health')
        void listen(link, AbortSignal.any([open.signal, link.signal]))
      },
      send: ({ chatId, text, key }) => call('/messages', { chatId, text, key }),
      probe: () =>
        call('/health').then(
          () => true,
          () => false,
        ),
      close: async () => open.abort(),
    })
  },
})
`,
}

const templates: Readonly<Record<Kind, Template>> = { tool, platform, provider, hooks }
