/**
 * Runs, or goes on with, a turn whose only command needs an answer. argv: home, what to do.
 * `die`: is killed while the question is shown. `resume`: goes on, with nobody there. `ask`: goes on and says once.
 * `early`, `refuse`: answers before it goes on.
 */
import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { openSvc } from 'svc'
import { Agent, Approvals, defineTool, Sessions, Tools } from 'svc/sdk'
import { Providers } from 'svc/sdk/provider'
import { z } from 'zod'

const [home = '', mode = ''] = process.argv.slice(2)

const provider = {
  name: 'one',
  label: 'One',
  status: async () => ({ ready: true, detail: 'always' }),
  models: async () => [{ id: 'one-1' }],
  async *stream({ messages }) {
    const isDone = messages.some((message) => message.role === 'tool')
    if (isDone) yield { type: 'text', text: 'Done.' }
    else yield { type: 'tool-call', call: { id: 'call_1', name: 'shell', input: { command: 'rm -r src' } } }
    yield { type: 'end', reason: isDone ? 'stop' : 'tool-calls' }
  },
}

const shell = defineTool({
  name: 'shell',
  description: 'Runs.',
  input: z.object({ command: z.string() }),
  effect: 'once',
  toolset: 'terminal',
  reach: 'machine',
  acts: ({ command }) => ({ command }),
  run: async ({ command }) => {
    appendFileSync(join(home, 'ran.log'), `${command}\n`)
    return 'ran'
  },
})

const svc = await openSvc({
  home,
  plugins: ['agent', 'approvals'],
  config: { model: { provider: 'one', default: 'one-1' }, approvals: { timeout: 570 } },
  env: {},
  with: [
    {
      name: 'one',
      setup(ctx) {
        ctx.add(Providers, provider)
        ctx.add(Tools, shell)
      },
    },
  ],
})
const approver = (answer) =>
  svc.use(Approvals).connect({ name: 'desk', reaches: () => true, ask: async (request) => answer(request) })
if (mode === 'die') approver(() => new Promise(() => {}))
if (mode === 'ask')
  approver((request) => {
    console.log(JSON.stringify({ type: 'shown', id: request.id }))
    return 'once'
  })

if (mode === 'early' || mode === 'refuse') {
  const approvals = svc.use(Approvals)
  const [left] = approvals.pending()
  approvals.answer(left.id, mode === 'early' ? 'once' : 'deny', 'phone')
  try {
    approvals.answer(left.id, 'deny', 'late')
  } catch ({ code }) {
    console.log(JSON.stringify({ type: 'second', code }))
  }
  console.log(JSON.stringify({ type: 'pending', ids: approvals.pending().map(({ id }) => id) }))
}

const sessions = svc.use(Sessions)
const agent = svc.use(Agent)
const id = mode === 'die' ? sessions.create({ surface: 'test', cwd: home }).id : sessions.list()[0].id
const events = mode === 'die' ? agent.run({ sessionId: id, surface: 'test', text: 'go' }) : agent.resume(id)
for await (const event of events) {
  console.log(JSON.stringify(event))
  if (mode === 'die' && event.type === 'approval.request') process.kill(process.pid, 'SIGKILL')
}
await svc.stop()
