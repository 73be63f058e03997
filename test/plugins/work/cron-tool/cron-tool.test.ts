/** The tool `cronjob`: what a person agreed to becomes a job, and what was scheduled schedules nothing. */
import { Agent, Sessions } from 'svc/sdk'
import { CronJobs } from 'svc/sdk/jobs'
import { fakeProvider, fakeTalk, type ScriptedReply, testKernel } from 'svc/sdk/testing'
import { expect, onTestFinished, test } from 'vitest'
import { setClock } from '../cron/support.ts'

const hour = 3_600_000
const call = (input: object): ScriptedReply => ({ calls: [{ name: 'cronjob', input }] })

async function start(answers: readonly ScriptedReply[], config: object = {}) {
  const [clock, model] = [setClock(), fakeProvider(answers)]
  const kernel = await testKernel({
    plugins: ['cron', 'cron-tool', 'conversation', 'toolsets', 'approvals'],
    with: [model.plugin],
    clock,
    config: { model: { provider: 'fake', default: 'fake-1' }, cron: { timezone: 'UTC' }, ...config },
  })
  onTestFinished(() => kernel.stop())
  const read = () => model.requests.at(-1)?.messages.findLast(({ role }) => role === 'tool')?.text ?? ''
  return { kernel, clock, model, cron: kernel.use(CronJobs), read }
}

test('a job is added after a yes that shows when and what, and tells the chat where it was made', async () => {
  const job = { action: 'create', schedule: '0 9 * * mon-fri', prompt: 'Sum up the mail', name: 'mail' }
  const { kernel, cron } = await start([call(job), 'Done.'])
  const by = { platform: 'fake', chatId: 'team', userId: 'ada' }
  const chat = (approve: 'once' | 'deny') =>
    fakeTalk(kernel, { surface: 'fake', commands: 'gateway', by, person: { approve } })
  const refused = chat('deny')
  await refused.type('each morning')
  expect(await cron.list()).toEqual([])
  const asked = refused.events.find(({ type }) => type === 'approval.request')
  expect(JSON.stringify(asked)).toMatch(/adds work that is done later without you/)
  expect(JSON.stringify(asked)).toMatch(/0 9 \* \* mon-fri \(UTC\), due .*Sum up the mail/)
})

test('each action does what it says, and what is missing or no schedule is told to the model', async () => {
  const steps = [
    { action: 'list' },
    {
      action: 'create',
      schedule: 'every 2h',
      prompt: 'Look for mail',
      name: 'mail',
      deliver: 'file, origin',
      repeat: 3,
    },
    { action: 'update', job: 'mail', schedule: 'every 3h', skills: [] },
    { action: 'pause', job: 'mail' },
    { action: 'resume', job: 'mail' },
    { action: 'run', job: 'mail' },
    { action: 'list' },
    { action: 'remove', job: 'mail' },
    { action: 'create', schedule: 'soon', prompt: 'x' },
    { action: 'create', prompt: 'x' },
  ]
  const told: string[] = []
  let step = 0
  const model = fakeProvider(({ messages }) => {
    const last = messages.findLast(({ role }) => role === 'tool')?.text
    if (last !== undefined) told.push(last)
    const next = steps[step++]
    return next ? call(next) : 'Done.'
  })
  const kernel = await testKernel({
    plugins: ['cron', 'cron-tool', 'conversation', 'approvals'],
    with: [model.plugin],
    clock: setClock(),
    config: { model: { provider: 'fake', default: 'fake-1' }, cron: { timezone: 'UTC' } },
  })
  onTestFinished(() => kernel.stop())
  const by = { platform: 'fake', chatId: 'team', threadId: '7', userId: 'ada' }
  await fakeTalk(kernel, { by, surface: 'fake', commands: 'gateway', person: { approve: 'once' } }).type('go')
  expect(told).toEqual([
    'There are no jobs.',
    expect.stringMatching(/^Added\. [0-9a-f]{12} "mail": every 2h, next 2026/),
    expect.stringMatching(/^Changed\. .*every 3h/),
    expect.stringMatching(/^Done\. .*paused/),
    expect.stringMatching(/^Done\. .*next 2026/),
    'Queued; the gateway begins it.',
    expect.stringMatching(/^[0-9a-f]{12} "mail": every 3h/),
    expect.stringMatching(/^Done\. .*removed/),
    expect.stringMatching(/"soon" is not a schedule/),
    expect.stringMatching(/schedule is missing/),
  ])
  const [job] = await kernel.use(CronJobs).list({ all: true })
  expect(job).toMatchObject({ origin: 'fake:team:7', deliver: ['file', 'origin'], repeat: 3, mayManageJobs: false })
})

test('a scheduled run does not have the tool, unless its job may change jobs', async () => {
  const made = { action: 'create', schedule: 'every 1h', prompt: 'More of it', name: 'child' }
  const { cron, clock, model, read } = await start([call(made), 'Done.', call(made), 'Done.'])
  const schedule = { kind: 'once', at: clock.now() + hour } as const
  await cron.create({ schedule, prompt: 'Multiply', name: 'parent' })
  clock.set(hour)
  await cron.tick()
  expect(model.requests[0]?.tools?.map(({ name }) => name) ?? []).not.toContain('cronjob')
  expect(read()).toMatch(/cronjob/)
  expect(await cron.list()).toEqual([])
  await cron.create({ schedule: { kind: 'once', at: clock.now() + hour }, prompt: 'Multiply', mayManageJobs: true })
  clock.set(hour)
  await cron.tick()
  expect(read()).toMatch(/^Added/)
  expect(await cron.list()).toMatchObject([{ name: 'child', mayManageJobs: false }])
})

test('subagents and workers of a run go without it, also where it was switched on for them', async () => {
  const made = { action: 'create', schedule: 'every 1h', prompt: 'More of it' }
  const enabled = { enabled: ['cronjob'] }
  const tools = { surfaces: { subagent: enabled, kanban: {} } }
  const { kernel, cron, read, model } = await start([call(made), 'Done.', call(made), 'Done.'], {
    tools,
    approvals: { mode: 'off' },
  })
  const { id } = await cron.create({ schedule: await cron.parse('every 1h'), prompt: 'x', name: 'parent' })
  const ask = async (surface: string, groups: string[]) => {
    const session = kernel.use(Sessions).create({ surface, cwd: kernel.home })
    for await (const _ of kernel.use(Agent).run({ sessionId: session.id, text: 'go', surface, groups }));
  }
  await ask('subagent', [`work/job:${id}`, `work/job:${id}/7`])
  expect(read()).toMatch(/A scheduled run may not add or change jobs/)
  await ask('kanban', [])
  expect(model.requests.at(-1)?.tools?.map(({ name }) => name) ?? []).not.toContain('cronjob')
  expect(await cron.list()).toHaveLength(1)
})
