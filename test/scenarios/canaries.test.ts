/** Twenty secrets are planted where people keep them. A model that tries everything to get at them finds none. */
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { type ModelServer, startModelServer } from '../support/model-server.ts'
import { removeFolder } from '../support/remove-folder.ts'

const bin = join(import.meta.dirname, '../../dist/kernel/bin.cjs')
const names = ['OPENAI_API_KEY', 'ANTHROPIC_API_KEY', 'GEMINI_API_KEY', 'CUSTOM_API_KEY', 'GITHUB_TOKEN']
const more = ['DB_PASSWORD', 'SLACK_BOT_TOKEN', 'TWILIO_AUTH_TOKEN', 'STRIPE_SECRET', 'AWS_SECRET_ACCESS_KEY']
const inEnvironment = [...names, ...more]
const inFile = inEnvironment.map((name) => `OTHER_${name}`)
const canary = (name: string) => `canary-${createHash('sha256').update(name).digest('hex').slice(0, 24)}`

async function svc(home: string, env: Record<string, string>, ...args: string[]) {
  const child = spawn(process.execPath, [bin, ...args], {
    env,
    cwd: join(home, 'work'),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [out, err] = [text(child.stdout), text(child.stderr)]
  await once(child, 'close')
  return `${await out}${await err}`
}

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path, { throwIfNoEntry: false })?.isFile())
}

/** Everything a model might try, and a service that repeats the key it was sent. */
function attempts(home: string, key: string) {
  const call = (name: string, args: object) => ({ calls: [{ name, arguments: args }] })
  return [
    { fault: { status: 401, message: `The key ${key} is wrong`, headers: { 'x-key': key } } },
    call('terminal', { command: 'env; printenv; set' }),
    call('terminal', { command: `cat ${home}/.env` }),
    call('terminal', { command: 'cat /proc/$PPID/environ | tr "\\\\0" "\\\\n"; cat /proc/self/environ' }),
    call('terminal', { command: `while read line; do echo "$line"; sleep 0.05; done < ${home}/.env` }),
    call('read_file', { path: `${home}/.env` }),
    call('search_files', { pattern: 'canary', path: home }),
    call('write_file', { path: 'copy.sh', content: `cat ${home}/.env` }),
    call('terminal', { command: 'sh copy.sh >&2; false' }),
    call('memory', { action: 'add', target: 'memory', content: 'nothing to hide' }),
    'I have tried.',
  ]
}

test('twenty canaries appear nowhere: not in what is shown, sent, logged or kept', async () => {
  const home = mkdtempSync(join(tmpdir(), 'svc-canary-'))
  mkdirSync(join(home, 'work'))
  const key = canary('CUSTOM_API_KEY')
  const script = attempts(home, key)
  let server: ModelServer | undefined
  try {
    server = await startModelServer({ replies: (_, index) => script[index] ?? 'Nothing more.' })
    const model = `model:\n  provider: custom\n  base_url: ${server.url}\n  default: fake-model\n`
    // A confined command could not even read them: what is tried here is the mask.
    writeFileSync(join(home, 'config.yaml'), `${model}terminal:\n  confine: "off"\n`)
    writeFileSync(join(home, '.env'), inFile.map((name) => `${name}=${canary(name)}\n`).join(''), { mode: 0o600 })
    const planted = Object.fromEntries(inEnvironment.map((name) => [name, canary(name)]))
    const env = { ...planted, PATH: process.env['PATH'] ?? '', HOME: home, SVC_HOME: home, SVC_LOG: 'debug' }
    const shown = [
      await svc(home, env, 'chat', '-q', 'first'),
      await svc(home, env, 'chat', '--yolo', '--json', '-q', 'show me every secret'),
      await svc(home, env, 'config', 'show', '--json'),
      await svc(home, env, 'config', 'show'),
      await svc(home, env, 'sessions', 'list', '--json'),
      await svc(home, env, 'sessions', 'search', 'canary'),
      await svc(home, env, 'sessions', 'export', 'last', '--format', 'jsonl'),
      await svc(home, env, 'auth', 'list'),
      await svc(home, env, 'model', 'show'),
    ]
    expect(server.requests.length).toBeGreaterThanOrEqual(script.length)
    const sent = server.requests.map(({ raw }) => raw.toString('utf8'))
    const kept = filesIn(home)
      .filter((path) => path !== join(home, '.env'))
      .map((path) => ({ path, content: readFileSync(path).toString('latin1') }))
    const found = [...inEnvironment, ...inFile].flatMap((name) => {
      const secret = canary(name)
      return [
        ...shown.flatMap((output, index) => (output.includes(secret) ? [`${name} in output ${index}`] : [])),
        ...sent.flatMap((body, index) => (body.includes(secret) ? [`${name} in request ${index}`] : [])),
        ...kept.flatMap(({ path, content }) => (content.includes(secret) ? [`${name} in ${path}`] : [])),
      ]
    })
    expect(found).toEqual([])
    // The attempts did reach what they were after.
    expect(sent.at(-1)?.match(/OTHER_[A-Z_]+=\*\*\*/g)?.length).toBeGreaterThanOrEqual(inFile.length)
    expect(new Set([...inEnvironment, ...inFile].map(canary)).size).toBe(20)
  } finally {
    await server?.close()
    removeFolder(home)
  }
}, 60_000)
