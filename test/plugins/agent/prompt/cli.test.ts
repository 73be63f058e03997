import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PromptParts } from 'svc/sdk'
import { Gateway } from 'svc/sdk/platform'
import { expect, test } from 'vitest'
import { stage } from './support.ts'

const tools = ['tool-files', 'tool-terminal', 'tool-memory', 'tool-todo']

test('svc prompt-size tells what each part and tool costs, and a fresh installation is within the budget', async () => {
  const { kernel, fake, prompt } = await stage({ plugins: ['agent', 'prompt', ...tools] })
  const { code, out } = await kernel.run(['prompt-size', '--json'])
  const report = JSON.parse(out)
  expect(code).toBe(0)
  expect(fake.requests).toEqual([])
  const sent = await prompt()
  expect(report.system_prompt).toEqual({ chars: sent.length, bytes: Buffer.byteLength(sent) })
  const each = report.tools.each.map(({ name }: { name: string }) => name)
  expect(each).toEqual(fake.requests[0]?.tools.map(({ name }) => name).sort())
  const bytes = fake.requests[0]?.tools.map((tool) => Buffer.byteLength(JSON.stringify(tool))) ?? []
  expect(report.tools.json_bytes).toBe(bytes.reduce((sum, size) => sum + size, 0))
  expect(report).toMatchObject({ platform: 'cli', model: 'fake-1', within_budget: true, budget_bytes: 16_000 })
  expect(report.total_bytes).toBe(report.system_prompt.bytes + report.tools.json_bytes)
  expect(report.total_bytes).toBeLessThanOrEqual(16_000)
  expect(report.memory).toEqual({ chars: 0, bytes: 0, reason: 'there is nothing in it yet' })
  expect(report.skills_index).toEqual({ chars: 0, bytes: 0, reason: 'there is nothing in it yet' })
  expect(report.parts).toContainEqual(expect.objectContaining({ name: 'date', tier: 'volatile', plugin: 'prompt' }))
  await kernel.stop()
})

test('svc prompt-size says in words what is over the budget, what failed, and what is remembered', async () => {
  const big = {
    name: 'big',
    contributes: { 'prompt-parts': ['big', 'broken'] },
    setup(ctx: { add(point: typeof PromptParts, item: object): unknown }) {
      ctx.add(PromptParts, { name: 'big', tier: 'stable', text: () => 'x'.repeat(20_000) })
      const text = () => {
        throw new Error('no such thing')
      }
      ctx.add(PromptParts, { name: 'broken', tier: 'stable', text })
    },
  }
  const { kernel } = await stage({ plugins: ['agent', 'prompt', 'tool-memory'], with: [big as never] })
  mkdirSync(join(kernel.home, 'memories'))
  writeFileSync(join(kernel.home, 'memories/USER.md'), 'Likes tea.\n')
  const { out } = await kernel.run(['prompt-size'])
  expect(out).toMatch(/stable big +20,000 bytes {2}big\n/)
  expect(out).toMatch(/stable broken +0 bytes {2}big, failed: no such thing\n/)
  expect(out).toMatch(/User profile +1\d\d bytes\n/)
  expect(out).toMatch(/ % of the budget of 16,000 bytes: OVER it\.\n/)
  await kernel.stop()
})

test('svc prompt-size refuses a platform that there is not and names those there are', async () => {
  const { kernel } = await stage()
  expect(await kernel.run(['prompt-size', '--platform', 'pigeon'])).toMatchObject({
    code: 1,
    err: expect.stringContaining('There is no platform "pigeon". Those there are: cli, api'),
  })
  await kernel.stop()
})

test('svc prompt diff names the part that changed and the plugin that it is from', async () => {
  let n = 0
  const clock = {
    name: 'ticking',
    contributes: { 'prompt-parts': ['ticker'] },
    setup(ctx: { add(point: typeof PromptParts, item: object): unknown }) {
      ctx.add(PromptParts, { name: 'ticker', tier: 'stable', text: () => `It is tick ${n++}.` })
    },
  }
  const { kernel, session, turn } = await stage({ with: [clock as never] })
  const [a, b, empty] = [session(), session(), session()]
  await turn(a, 'hi')
  await turn(b, 'hi')
  const { code, out, err } = await kernel.run(['prompt', 'diff', a, b])
  expect({ code, err }).toEqual({ code: 0, err: '' })
  expect(out).toMatch(
    /^ticker \(stable, plugin ticking\): changed, 13 -> 13 bytes\n {2}-It is tick 0\.\n {2}\+It is tick 2\.\n\n/,
  )
  expect(out).toMatch(/\nThe common prefix ends after \d+ bytes, in ticker of the plugin ticking\.\n$/)
  const json = JSON.parse((await kernel.run(['prompt', 'diff', a, b, '--json'])).out)
  expect(json).toMatchObject({ same: false, guessed: false, first_difference: { part: 'ticker', plugin: 'ticking' } })
  expect((await kernel.run(['prompt', 'diff', a, a])).out).toContain('the same, byte for byte')
  expect((await kernel.run(['prompt', 'diff', a, empty])).err).toContain('has no system prompt yet')
  expect((await kernel.run(['prompt', 'diff', a, 'nobody'])).code).toBe(1)
  await kernel.stop()
})

test('sessions with the same prompt share one record, and without a record the parts are told apart as of today', async () => {
  const { kernel, session, turn } = await stage()
  const [a, b, c] = [session(), session(), session(join(kernel.home, 'elsewhere'))]
  for (const id of [a, b, c]) await turn(id, 'hi')
  const records = recordsBelow(kernel.home)
  expect(records).toHaveLength(2)
  for (const file of records) writeFileSync(file, '{ cut')
  const { out, err } = await kernel.run(['prompt', 'diff', a, c])
  expect(out).toMatch(/^environment \(context, plugin prompt\): changed/)
  expect(err).toContain('were not noted')
  await kernel.stop()
})

function recordsBelow(home: string): string[] {
  return readdirSync(home, { recursive: true, encoding: 'utf8' })
    .filter((name) => /prompt\/[0-9a-f]{32}\.json$/.test(name))
    .map((name) => join(home, name))
}

test('svc prompt-size --platform counts what only the process that connects the platform has loaded, and connects nothing', async () => {
  const { kernel } = await stage({ plugins: ['agent', 'prompt'] })
  const { code, out, err } = await kernel.run(['prompt-size', '--platform', 'ntfy', '--json'])
  expect(code, err).toBe(0)
  const report = JSON.parse(out)
  const chat = report.parts.find(({ name }: { name: string }) => name === 'chat')
  expect(chat).toMatchObject({ plugin: 'gateway' })
  expect(chat.bytes).toBeGreaterThan(0)
  expect(report.tools.each.map(({ name }: { name: string }) => name)).toContain('send_message')
  expect(kernel.use(Gateway).status().state).toBe('stopped')
  await kernel.stop()
})
