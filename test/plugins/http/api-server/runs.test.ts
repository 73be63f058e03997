import { mkdtempSync } from 'node:fs'
import type { InlinePlugin } from 'svc'
import { type ApprovalRequest, Approvals, defineTool, Tools } from 'svc/sdk'
import type { ApprovalHandler } from 'svc/sdk/safety'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { removeFolder } from '../../../support/remove-folder.ts'
import { type ApiDesk, openApi, parseEvents, type Reply } from './desk.ts'
import { notes } from './notes.ts'

async function begin({ read }: ApiDesk, body: object): Promise<string> {
  const reply = await read('/v1/runs', { body })
  expect([reply.status, reply.body.status]).toEqual([202, 'started'])
  return reply.body.run_id
}

async function followed({ ask }: ApiDesk, id: string, headers = {}): Promise<ReturnType<typeof parseEvents>> {
  return parseEvents(await (await ask(`/v1/runs/${id}/events`, { headers })).text())
}

/** Asks until the run is as wanted: it is at work in the same process. */
async function untilStatus({ read }: ApiDesk, id: string, status: string): Promise<Reply> {
  for (;;) {
    const { body } = await read(`/v1/runs/${id}`)
    if (body.status === status) return body
    await new Promise((resolve) => setImmediate(resolve))
  }
}

test('a run continues without its client, and says how it went', async () => {
  const script = [
    { reasoning: 'Hm.', text: 'Let me see.', calls: [{ name: 'take_note', input: { note: 'milk' } }] },
    'Done.',
  ]
  const desk = await openApi(() => script.shift() ?? '', { with: [notes] })
  const id = await begin(desk, { input: 'Note: milk' })
  const run = await untilStatus(desk, id, 'completed')
  expect(run).toMatchObject({
    object: 'svc.run',
    run_id: id,
    output: 'Let me see.\n\nDone.',
    usage: { input_tokens: 20, output_tokens: 10, total_tokens: 30 },
    error: null,
  })
  const events = await followed(desk, id)
  expect(events.map(({ data }) => data.event)).toEqual([
    'message.delta',
    'reasoning.available',
    'tool.started',
    'tool.completed',
    'message.delta',
    'run.completed',
  ])
  expect(events[2]?.data).toMatchObject({ tool: 'take_note', preview: 'milk', run_id: id })
  expect(events.at(-1)?.data.output).toBe('Let me see.\n\nDone.')
})

test('several readers see everything, and one that was cut off continues where it was', async () => {
  let goOn = () => {}
  const gate = new Promise<void>((resolve) => {
    goOn = resolve
  })
  const script = [
    { text: 'First.', calls: [{ name: 'take_note', input: { note: 'x' } }] },
    { gate, text: 'Second.' },
  ]
  const desk = await openApi(() => script.shift() ?? '', { with: [notes] })
  const id = await begin(desk, { input: 'go' })
  const [one, two] = [followed(desk, id), followed(desk, id)]
  await untilStatus(desk, id, 'running')
  goOn()
  const told = (events: Awaited<typeof one>) => events.map(({ id: seq, data }) => [seq, data.event])
  expect(told(await one)).toEqual(told(await two))
  const all = await one
  const middle = all[1]?.id ?? ''
  const rest = await followed(desk, id, { 'last-event-id': middle })
  expect(rest.map(({ id: seq }) => seq)).toEqual(all.slice(2).map(({ id: seq }) => seq))
  expect(await followed(desk, id, { 'last-event-id': all.at(-1)?.id ?? '' })).toEqual([])
})

const shell: InlinePlugin = {
  name: 'shell',
  kind: 'tool',
  contributes: { tools: ['terminal'] },
  setup: (ctx) => {
    const input = z.object({ command: z.string() })
    const run = async () => 'removed'
    ctx.add(
      Tools,
      defineTool({
        name: 'terminal',
        description: 'Runs.',
        input,
        effect: 'once',
        toolset: 'terminal',
        reach: 'machine',
        acts: ({ command }) => ({ command }),
        run,
      }),
    )
  },
}
const dangerous = { calls: [{ name: 'terminal', input: { command: 'rm -rf /srv/some/folder' } }] }

test('a question of a run waits for its client, who answers it by the id of the run', async () => {
  const script = [dangerous, 'It is gone.']
  const desk = await openApi(() => script.shift() ?? '', { plugins: ['approvals'], with: [shell] })
  const id = await begin(desk, { input: 'clean up' })
  await untilStatus(desk, id, 'waiting_for_approval')
  const approve = (choice: string) => desk.read(`/v1/runs/${id}/approval`, { body: { choice } })
  expect((await approve('perhaps')).body.error).toMatchObject({ code: 'invalid_approval_choice', param: 'choice' })
  const answer = await approve('approve')
  expect(answer.body).toEqual({ object: 'svc.run.approval_response', run_id: id, choice: 'once', resolved: 1 })
  await untilStatus(desk, id, 'completed')
  const events = await followed(desk, id)
  const asked = events.find(({ data }) => data.event === 'approval.request')?.data
  expect(asked).toMatchObject({ command: 'rm -rf /srv/some/folder', choices: expect.arrayContaining(['once', 'deny']) })
  expect(events.some(({ data }) => data.event === 'approval.responded' && data.choice === 'once')).toBe(true)
  expect((await approve('once')).body.error.code).toBe('approval_not_active')
})

test('an unknown choice is refused as such, also while no question waits', async () => {
  const desk = await openApi([{ text: 'Half', gate: new Promise<void>(() => {}) }], { plugins: ['approvals'] })
  const id = await begin(desk, { input: 'wait' })
  const approve = (choice: string) => desk.read(`/v1/runs/${id}/approval`, { body: { choice } })
  expect((await approve('perhaps')).body.error).toMatchObject({ code: 'invalid_approval_choice', param: 'choice' })
  expect(await approve('once')).toMatchObject({ status: 409, body: { error: { code: 'approval_not_pending' } } })
})

test('where no one can answer, what is dangerous is denied at once', async () => {
  const script = [dangerous, 'I was not allowed to.']
  const desk = await openApi(() => script.shift() ?? '', { plugins: ['approvals'], with: [shell] })
  const { body } = await desk.read('/v1/chat/completions', {
    body: { messages: [{ role: 'user', content: 'clean up' }] },
  })
  expect(body.choices[0].message.content).toBe('I was not allowed to.')
  expect(desk.heard().at(-1)).toMatch(/^tool: /)
  expect(desk.heard().at(-1)).not.toContain('removed')
})

test('a run is stopped, and that is no failure', async () => {
  const desk = await openApi([{ gate: new Promise(() => {}) }])
  const id = await begin(desk, { input: 'go' })
  const reading = followed(desk, id)
  await untilStatus(desk, id, 'running')
  expect((await desk.read(`/v1/runs/${id}/stop`, { body: {} })).body).toEqual({ run_id: id, status: 'stopping' })
  await untilStatus(desk, id, 'cancelled')
  expect((await reading).at(-1)?.data.event).toBe('run.cancelled')
  expect((await desk.read(`/v1/runs/${id}/stop`, { body: {} })).body).toEqual({ run_id: id, status: 'cancelled' })
})

test('a run whose model fails has failed, and its readers hear why', async () => {
  const failure = { kind: 'auth', message: 'The key was refused.', retryable: false } as const
  const desk = await openApi([{ failure }])
  const id = await begin(desk, { input: 'go' })
  expect(await untilStatus(desk, id, 'failed')).toMatchObject({ error: 'The key was refused.' })
  expect((await followed(desk, id)).at(-1)?.data).toMatchObject({ event: 'run.failed', error: 'The key was refused.' })
})

test('a run and its events outlive the process that ran it', async () => {
  const home = mkdtempSync('/tmp/svc-api-')
  const before = await openApi(['Done.'], { home })
  const id = await begin(before, { input: 'go' })
  await untilStatus(before, id, 'completed')
  await before.kernel.stop()
  const after = await openApi(['x'], { home })
  expect((await after.read(`/v1/runs/${id}`)).body).toMatchObject({ status: 'completed', output: 'Done.' })
  expect((await followed(after, id)).map(({ data }) => data.event)).toEqual(['message.delta', 'run.completed'])
  await after.kernel.stop()
  removeFolder(home)
})

test('runs of one session stand in line', async () => {
  const desk = await openApi(['One.', 'Two.'])
  const first = await desk.read('/v1/runs', { body: { input: 'a' } })
  const session = first.body.session_id
  const second = await begin(desk, { input: 'b', session_id: session })
  await untilStatus(desk, second, 'completed')
  expect(desk.heard()).toEqual(['user: a', 'assistant: One.', 'user: b'])
})

test('who follows a run that waited for another one of its session is told of its own turn only', async () => {
  let open = () => {}
  const gate = new Promise<void>((resolve) => {
    open = resolve
  })
  const script = [{ gate, text: 'One.' }, { text: 'Two.' }]
  const desk = await openApi(() => script.shift() ?? '')
  const first = await desk.read('/v1/runs', { body: { input: 'a' } })
  await untilStatus(desk, first.body.run_id, 'running')
  const second = await begin(desk, { input: 'b', session_id: first.body.session_id })
  const following = followed(desk, second)
  open()
  await untilStatus(desk, second, 'completed')
  for (const events of [await following, await followed(desk, second)])
    expect(events.map(({ data }) => [data.event, data.delta ?? data.output])).toEqual([
      ['message.delta', 'Two.'],
      ['run.completed', 'Two.'],
    ])
})

test('runs of others are not there', async () => {
  const desk = await openApi(['One.'])
  const headers = { 'x-svc-session-key': 'ann' }
  const { body } = await desk.read('/v1/runs', { headers, body: { input: 'a' } })
  expect((await desk.read(`/v1/runs/${body.run_id}`)).body.error.code).toBe('run_not_found')
  expect((await desk.read(`/v1/runs/${body.run_id}`, { headers })).status).toBe(200)
})

test('a question that is over before it reaches the API is not waited for', async () => {
  let approver: ApprovalHandler | undefined
  const desk = {
    connect: (given: ApprovalHandler) => {
      approver = given
      return () => {}
    },
    pending: () => [],
  } as unknown as Approvals
  const asking: InlinePlugin = {
    name: 'asking',
    provides: ['approvals'],
    setup: (ctx) => void ctx.provide(Approvals, () => desk),
  }
  await begin(await openApi(['x'], { with: [asking] }), { input: 'go' })
  expect(await approver?.ask({} as ApprovalRequest, AbortSignal.abort())).toBeUndefined()
  expect(approver?.name).toBe('api')
})

test('who follows a long run leaves nothing behind for each of its events', async () => {
  const warnings: Error[] = []
  const note = (warning: Error) => void warnings.push(warning)
  process.on('warning', note)
  const desk = await openApi([{ pieces: Array.from({ length: 60 }, (_, at) => `${at} `) }])
  const id = await begin(desk, { input: 'go' })
  expect((await followed(desk, id)).at(-1)?.data.event).toBe('run.completed')
  await new Promise((resolve) => setImmediate(resolve))
  process.off('warning', note)
  expect(warnings).toEqual([])
})

test('a client answers the question that it names, and of its own run only', async () => {
  const script = [dangerous, dangerous, 'Gone.', 'Gone.']
  const desk = await openApi(() => script.shift() ?? '', { plugins: ['approvals'], with: [shell] })
  const [one, two] = [await begin(desk, { input: 'a' }), await begin(desk, { input: 'b' })]
  for (const id of [one, two]) await untilStatus(desk, id, 'waiting_for_approval')
  const asked = desk.kernel.use(Approvals).pending()
  expect(asked).toHaveLength(2)
  const turns = await Promise.all([one, two].map(async (id) => (await desk.read(`/v1/runs/${id}`)).body))
  expect(turns).toHaveLength(2)
  const answer = (id: string, body: object) =>
    desk.read(`/v1/runs/${id}/approval`, { body: { choice: 'once', ...body } })
  expect((await answer(one, { approval_id: 'another' })).body.error.code).toBe('approval_not_pending')
  const statuses = await Promise.all(asked.map(async ({ id }) => (await answer(one, { approval_id: id })).status))
  expect(statuses.sort()).toEqual([200, 409])
  await untilStatus(desk, one, 'completed')
  expect((await desk.read(`/v1/runs/${two}`)).body.status).toBe('waiting_for_approval')
})
