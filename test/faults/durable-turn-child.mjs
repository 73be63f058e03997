/**
 * Runs, or goes on with, a turn of thirty tool calls, and kills itself on the way.
 * argv: home, `run` or `resume`, the number of the record at which to die (0: never), `before` or `after` it is
 * committed.
 */
import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { openSvc } from 'svc'
import { Agent, defineTool, Sessions, Tools } from 'svc/sdk'
import { Providers } from 'svc/sdk/provider'
import { z } from 'zod'

const ROUNDS = 10
let records = 0
const [home = '', mode = '', at = '0', when = ''] = process.argv.slice(2)
const log = (line) => appendFileSync(join(home, 'effects.log'), `${line}\n`)

/** What comes over a network comes piece by piece. */
const moment = () => new Promise((resolve) => setImmediate(resolve))

/** What it wants next follows from the conversation alone, as with a real model. */
const provider = {
  name: 'steps',
  label: 'Steps',
  status: async () => ({ ready: true, detail: 'always' }),
  models: async () => [{ id: 'steps-1' }],
  async *stream({ messages }) {
    const round = messages.filter((message) => message.role === 'assistant' && message.toolCalls?.length).length
    await moment()
    yield { type: 'text', text: `Step ${round}` }
    await moment()
    yield { type: 'text', text: '. ' }
    await moment()
    if (round < ROUNDS)
      for (const name of ['look', 'put', 'push'])
        yield { type: 'tool-call', call: { id: `${name}_${round}`, name, input: { round } } }
    yield { type: 'usage', usage: { input: 10, output: 5 } }
    yield { type: 'end', reason: round < ROUNDS ? 'tool-calls' : 'stop' }
  },
}

const tool = (name, effect) =>
  defineTool({
    name,
    description: name,
    input: z.object({ round: z.number() }),
    effect,
    toolset: 'test',
    reach: 'nothing',
    parallel: effect === 'pure',
    async run({ round }, turn) {
      log(`${name} ${round} ${turn.key}`)
      return `${name} ${round} done`
    },
  })

const svc = await openSvc({
  home,
  plugins: ['agent', 'approvals'],
  config: { model: { provider: 'steps', default: 'steps-1' }, agent: { max_iterations: 40 } },
  env: {},
  with: [
    {
      name: 'steps',
      setup(ctx) {
        ctx.add(Providers, provider)
        ctx.add(Tools, tool('look', 'pure'))
        ctx.add(Tools, tool('put', 'idempotent'))
        ctx.add(Tools, tool('push', 'once'))
      },
    },
  ],
})

const sessions = svc.use(Sessions)
const session =
  mode === 'run' ? sessions.create({ surface: 'test', cwd: home }) : sessions.open(sessions.list()[0]?.id ?? '')
dieAtRecord(session, Number(at))
const agent = svc.use(Agent)
const events =
  mode === 'run'
    ? agent.run({ sessionId: session.id, surface: 'test', text: 'go', toolsets: ['test'] })
    : agent.resume(session.id)
for await (const event of events) if (event.type === 'turn.end') console.log(JSON.stringify(event))
console.log(JSON.stringify({ records, messages: sessions.open(session.id).messages().length }))
await svc.stop()

/** Every session object of this process shares one way of recording. */
function dieAtRecord(one, count) {
  const prototype = Object.getPrototypeOf(one)
  const record = prototype.record
  prototype.record = function (entry) {
    records++
    const isLast = records === count
    if (isLast && when === 'before') process.kill(process.pid, 'SIGKILL')
    const placed = record.call(this, entry)
    if (isLast) void this.committed().then(() => process.kill(process.pid, 'SIGKILL'))
    return placed
  }
}
