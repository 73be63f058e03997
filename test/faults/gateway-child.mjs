/**
 * A gateway with one platform and a scripted model, which kills itself at a boundary: a commit, a message that comes in, a
 * call of the platform. argv: JSON of `{ home, platform, config, env, path, target, at, when }`; `at` 0: it lives.
 * Tells `ready`, then after each `settle` on its standard input what is left; ends when its input does.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { openSvc } from 'svc'
import { Gateway, Outbox, Platforms } from 'svc/sdk/platform'
import { Providers } from 'svc/sdk/provider'
import { Storage } from 'svc/sdk/storage'
import { Http } from 'svc/sdk/web'

const { home, platform: name, config, env, path, target, at, when } = JSON.parse(process.argv[2] ?? '{}')
const MARK = 'the answer is forty-two'
const FILES = ['forty-two.pdf', 'forty-three.pdf']
mkdirSync(join(home, 'workspace'), { recursive: true })
if (path === 'files') for (const file of FILES) writeFileSync(join(home, 'workspace', file), `%PDF ${file}`)
let boundaries = 0
let counts = false

/** Dies before or after the boundary with the number. */
function boundary(work) {
  if (!counts) return work()
  const isHere = ++boundaries === at
  if (isHere && when === 'before') process.kill(process.pid, 'SIGKILL')
  const result = work()
  const over = () => {
    if (isHere) process.kill(process.pid, 'SIGKILL')
  }
  if (result instanceof Promise) return result.finally(over)
  over()
  return result
}

/** What it says to a conversation without results of tools; undefined: the answer at once. */
const firstCalls = {
  tool: { id: 'call-1', name: 'send_message', input: { target, message: MARK } },
  files: { id: 'call-1', name: 'send_message', input: { files: FILES } },
  approval: { id: 'call-1', name: 'terminal', input: { command: 'rm -rf nothing-here' } },
}
const pieces = MARK.split(/(?<= )/).flatMap((word) => [word, 'and also some more words that nobody needs, '])
/** What it had still to say when it was cut off; undefined when it was not. */
function restOf(messages) {
  if (!messages.at(-1)?.text?.includes('was cut off')) return undefined
  const said = messages.findLast(({ role }) => role === 'assistant')?.text ?? ''
  const all = path === 'stream' ? pieces.join('') : path === 'files' ? 'Sent.' : MARK
  return all.startsWith(said) ? all.slice(said.length) : ''
}
/** Somebody says yes once more, to a question that was answered before. */
const isLateYes = (messages) => messages.at(-1)?.role === 'user' && messages.at(-1)?.text.startsWith('yes')
const called = (messages) => messages.some(({ role }) => role === 'tool')
async function* words() {
  if (path !== 'stream') return yield { type: 'text', text: path === 'tool' || path === 'files' ? 'Sent.' : MARK }
  for (const text of pieces) {
    yield { type: 'text', text }
    await pause(2)
  }
}

const provider = {
  name: 'script',
  label: 'Script',
  status: async () => ({ ready: true, detail: 'always' }),
  models: async () => [{ id: 'script-1' }],
  async *stream({ messages }) {
    const call = called(messages) ? undefined : firstCalls[path]
    const rest = restOf(messages)
    if (rest !== undefined || isLateYes(messages)) yield { type: 'text', text: rest || 'That was all.' }
    else if (call) yield { type: 'tool-call', call }
    else yield* words()
    yield { type: 'usage', usage: { input: 1, output: 1 } }
    yield { type: 'end', reason: call ? 'tool-calls' : 'stop' }
  },
}

const svc = await openSvc({
  home,
  plugins: ['gateway', 'http', 'tool-message', 'tool-terminal', 'approvals'],
  config: { ...config, model: { provider: 'script', default: 'script-1' }, gateway: { drain_seconds: 0 } },
  env,
  with: [{ name: 'script', setup: (ctx) => void ctx.add(Providers, provider) }],
})

countCommits(svc.use(Storage))
const platform = svc.all(Platforms).get(name)
countCalls(platform)
const gateway = svc.use(Gateway)
const outbox = svc.use(Outbox)
await gateway.start()
for (let waited = 0; state() !== 'connected' && waited < 400; waited++) await pause(25)
const { url } =
  svc
    .use(Http)
    .apps()
    .find((app) => app.name === name) ?? {}
say({ ready: state() === 'connected', reason: own()?.reason, url })
counts = true
if (path === 'job') outbox.send({ target, text: MARK, key: 'job:1', isOwners: true })

for await (const line of createInterface({ input: process.stdin })) {
  if (line !== 'settle') continue
  await gateway.idle()
  const deliveries = outbox.deliveries({ limit: 1000 }).map(({ key, state: of, error }) => ({ key, state: of, error }))
  say({ boundaries, status: gateway.status(), deliveries })
}
await svc.stop()

function say(what) {
  process.stdout.write(`${JSON.stringify(what)}\n`)
}

function own() {
  return gateway.status().platforms.find((each) => each.name === name)
}

function state() {
  return own()?.state
}

function pause(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

/** Every transaction, and every statement that writes outside of one, is a boundary. */
function countCommits(storage) {
  const open = storage.open.bind(storage)
  storage.open = (options) => {
    const database = open(options)
    let depth = 0
    const transaction = database.transaction.bind(database)
    const prepare = database.prepare.bind(database)
    return {
      file: database.file,
      exec: (sql) => database.exec(sql),
      close: () => database.close(),
      synced: () => boundary(() => database.synced()),
      committed: () => database.committed(),
      transaction(work, more) {
        const run = () => {
          depth++
          try {
            return transaction(work, more)
          } finally {
            depth--
          }
        }
        return depth > 0 ? run() : boundary(run)
      },
      prepare(sql) {
        const statement = prepare(sql)
        if (/^\s*(SELECT|PRAGMA|WITH)/i.test(sql)) return statement
        const run = (...values) => statement.run(...values)
        return {
          run: (...values) => (depth > 0 ? run(...values) : boundary(() => run(...values))),
          get: (...values) => statement.get(...values),
          all: (...values) => statement.all(...values),
        }
      },
    }
  }
}

/** What comes in and what goes out. No waits: the clock here is real. */
function countCalls(each) {
  const { connect, send, edit, limits } = each
  const { rate: _, ...unpaced } = limits
  Object.defineProperty(each, 'limits', { value: { ...unpaced, editEveryMs: 0 } })
  each.connect = (link) =>
    connect.call(each, {
      signal: link.signal,
      alive: () => link.alive(),
      lost: (...why) => link.lost(...why),
      cursor: (account) => link.cursor(account),
      receive: (message) => boundary(() => link.receive(message)),
    })
  each.send = (message) => boundary(() => send.call(each, message))
  if (edit) each.edit = (message) => boundary(() => edit.call(each, message))
}
