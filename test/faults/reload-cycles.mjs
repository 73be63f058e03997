/**
 * 1,000 changes of a foreign plugin under running turns, on the built package. Prints one JSON line with what it found.
 * Run by reload-cycles.test.ts as `node --expose-gc reload-cycles.mjs HOME CYCLES`.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openSvc } from 'svc'
import { Agent, defineService, Sessions } from 'svc/sdk'
import { Plugins } from 'svc/sdk/host'
import { fakeProvider } from 'svc/sdk/testing'

const [home, count] = process.argv.slice(2)
const cycles = Number(count)
const dir = join(home, 'plugins', 'worker')
mkdirSync(dir, { recursive: true })
const manifest = { name: 'worker', version: '1.0.0', sdk: '^0.1.0', kind: 'tool', description: 'Works.' }
writeFileSync(
  join(dir, 'plugin.json'),
  JSON.stringify({ ...manifest, with: ['agent'], contributes: { tools: ['work'] } }),
)
const write = (version) =>
  writeFileSync(
    join(dir, 'index.js'),
    `import { definePlugin, defineTool, Tools, TurnEnded } from 'svc/sdk'
import { z } from 'zod'
export default definePlugin({
  setup(ctx) {
    let open = true
    ctx.on(TurnEnded, () => {})
    ctx.defer(() => { open = false })
    ctx.onStart(() => { const timer = setInterval(() => {}, 1e6); ctx.defer(() => clearInterval(timer)) })
    ctx.add(Tools, defineTool({
      name: 'work', description: 'works', input: z.object({}), effect: 'pure', toolset: 'test', reach: 'nothing', parallel: true,
      async run() {
        if (!open) throw new Error('closed before it began')
        await new Promise((resolve) => setTimeout(resolve, 1))
        if (!open) throw new Error('closed while it ran')
        return 'version ${version}'
      },
    }))
  },
})`,
  )
write('A')

const fake = fakeProvider((request) => {
  const answered = request.messages.at(-1)?.role === 'tool'
  return answered || !request.tools.some((tool) => tool.name === 'work')
    ? 'done'
    : { calls: [{ name: 'work' }, { name: 'work' }] }
})
const svc = await openSvc({
  home,
  env: {},
  plugins: ['agent', 'worker'],
  with: [fake.plugin],
  audit: true,
  config: { model: { provider: 'fake', default: 'fake-1' }, plugins: { enabled: ['worker'] } },
})
const plugins = svc.use(Plugins)
const worker = plugins.info('worker')
// Its code is changed all the time.
// The package does not export this token: the id is what counts.
const Consents = defineService('consents')
await svc.use(Consents).agree(worker, (await svc.use(Consents).inspect(worker)).hash, { development: true })

const turns = { started: 0, completed: 0, broken: [] }
let running = true
async function talk() {
  let session = svc.use(Sessions).create({ surface: 'test', cwd: home })
  for (let turn = 0; running; turn++) {
    if (turn % 10 === 9) session = svc.use(Sessions).create({ surface: 'test', cwd: home })
    turns.started++
    let end
    for await (const event of svc.use(Agent).run({ sessionId: session.id, text: 'go', surface: 'test' })) {
      if (event.type === 'tool.complete' && !event.ok && !/no tool "work"/.test(event.text))
        turns.broken.push(event.text)
      if (event.type === 'error') turns.broken.push(event.message)
      end = event
    }
    if (end?.type === 'turn.end' && end.reason === 'completed') turns.completed++
    fake.requests.length = 0
  }
}

const heap = () => {
  for (let pass = 0; pass < 4; pass++) global.gc()
  return process.memoryUsage().heapUsed / 2 ** 20
}
const samples = []
const talks = [talk(), talk(), talk()]
for (let cycle = 0; cycle < cycles; cycle++) {
  if (cycle % 5 === 4) {
    await plugins.disable('worker')
    await plugins.enable('worker')
  } else {
    write(cycle % 2 ? 'A' : 'B')
    await plugins.reload(cycle % 25 === 7 ? 'agent' : 'worker')
  }
  // Changes are quicker than turns: without a pause now and then there would be little to disturb.
  while (turns.completed * 4 < cycle) await new Promise((resolve) => setImmediate(resolve))
  if (cycle % 50 === 49) {
    await new Promise((resolve) => setTimeout(resolve, 5))
    samples.push(heap())
  }
}
running = false
await Promise.all(talks)
const last = await plugins.disable('worker')
const result = { turns, samples, last, holds: plugins.info('worker').holds, problems: plugins.problems() }
await svc.stop()
console.log(JSON.stringify(result))
