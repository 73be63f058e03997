/** GitHub Copilot through a program that speaks the Agent Client Protocol: a stand-in, as a process of its own. */
import { spawn } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ModelEvent, ModelRequest } from 'svc/sdk/provider'
import { Providers } from 'svc/sdk/provider'
import { SignIns } from 'svc/sdk/sign-in'
import { testKernel, virtualClock } from 'svc/sdk/testing'
import { expect, onTestFinished, test, vi } from 'vitest'
import { removeFolder } from '../../../support/remove-folder.ts'

const STAND_IN = join(import.meta.dirname, 'copilot.mjs')

interface Reply {
  readonly chunks?: readonly string[]
  readonly [more: string]: unknown
}

interface Script {
  readonly replies?: readonly Reply[]
  readonly [more: string]: unknown
}

function makeProgram(script: Script) {
  const folder = mkdtempSync(join(tmpdir(), 'svc-copilot-test-'))
  onTestFinished(() => removeFolder(folder))
  writeFileSync(join(folder, 'script.json'), JSON.stringify({ replies: [{ chunks: ['Hello.'] }], ...script }))
  const program = join(folder, 'copilot')
  writeFileSync(program, `#!/bin/sh\nexec '${process.execPath}' '${STAND_IN}' '${folder}' "$@"\n`)
  chmodSync(program, 0o755)
  // biome-ignore lint/suspicious/noExplicitAny: messages of many shapes
  const log = (): any[] => {
    const file = join(folder, 'log.jsonl')
    if (!existsSync(file)) return []
    return readFileSync(file, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
  }
  const asked = (method: string) => log().filter((entry) => entry.method === method)
  return { folder, program, log, asked }
}

async function open(script: Script = {}, env: Record<string, string> = {}) {
  const stand = makeProgram(script)
  const clock = virtualClock()
  const kernel = await testKernel({
    plugins: ['provider-copilot-acp', 'models', 'auth-attempts'],
    clock,
    env: { PATH: `${stand.folder}:/usr/bin:/bin`, ...env },
  })
  onTestFinished(() => kernel.stop())
  expect(kernel.problems()).toEqual([])
  const provider = kernel.all(Providers).get('copilot-acp')
  if (!provider) throw new Error('the provider is missing')
  const ask = async (request: Partial<ModelRequest> = {}, watch?: (event: ModelEvent) => void) => {
    const events: ModelEvent[] = []
    const whole = {
      ...{ model: 'default', tools: [], signal: new AbortController().signal },
      messages: [{ role: 'user', text: 'Hi' }] as const,
      ...request,
    }
    for await (const batch of provider.stream(whole))
      for (const event of [batch].flat()) {
        events.push(event)
        watch?.(event)
      }
    return events
  }
  return { ...stand, kernel, clock, provider, ask }
}

const joinTexts = (events: readonly ModelEvent[]) =>
  events.map((event) => (event.type === 'text' ? event.text : '')).join('')
const findFailure = (events: readonly ModelEvent[]) => {
  const last = events.at(-1)
  return last?.type === 'failed' ? last.failure : undefined
}

const TOOL = { name: 'count', description: 'Counts.', parameters: { type: 'object' } }

test('an answer streams with its reasoning and its usage, in a session of its own that is closed', async () => {
  const usage = { totalTokens: 30, inputTokens: 20, outputTokens: 10, cachedReadTokens: 5 }
  const { ask, asked, log } = await open({ replies: [{ thoughts: ['Hm.'], chunks: ['Hel', 'lo.'], usage }] })
  const messages = [
    { role: 'system', text: 'Be brief.' },
    { role: 'user', text: 'Hi' },
  ] as const
  expect(await ask({ messages })).toEqual([
    { type: 'reasoning', text: 'Hm.' },
    { type: 'text', text: 'Hel' },
    { type: 'text', text: 'lo.' },
    { type: 'usage', usage: { input: 20, output: 10, cachedInput: 5 } },
    { type: 'end', reason: 'stop' },
  ])
  const [{ params }] = asked('session/prompt')
  expect(params.prompt[0].text).toMatch(/<system>\nBe brief\.\n<\/system>\n\n<user>\nHi\n<\/user>$/)
  await vi.waitFor(() => expect(asked('session/close')).toHaveLength(1))
  await ask()
  expect(log().filter(({ words }) => words)).toMatchObject([{ words: ['--acp', '--stdio'], cwd: [] }])
  expect(asked('session/new')).toHaveLength(2)
})

test('tools are described, calls come out of the text, and results go back', async () => {
  const call = '<function_call>{"name": "count", "arguments": {"of": "otters"}}</function_call>'
  const pieces = [
    'I will count. <fu',
    'nction_call>',
    call.slice('<function_call>'.length, 35),
    `${call.slice(35)}\n${call}`,
  ]
  const { ask, asked } = await open({ replies: [{ chunks: pieces }, { chunks: ['Seven <b> a < b.'] }] })
  const events = await ask({ tools: [TOOL] })
  expect(joinTexts(events)).toBe('I will count. ')
  const calls = events.flatMap((event) => (event.type === 'tool-call' ? [event.call] : []))
  expect(calls.map(({ name, input }) => [name, input])).toEqual([
    ['count', { of: 'otters' }],
    ['count', { of: 'otters' }],
  ])
  expect(new Set(calls.map(({ id }) => id)).size).toBe(2)
  expect(events.at(-1)).toEqual({ type: 'end', reason: 'tool-calls' })
  const messages = [
    { role: 'user', text: 'Count.' },
    { role: 'assistant', text: '', toolCalls: calls.slice(0, 1) },
    { role: 'tool', callId: calls[0]?.id ?? '', text: '7' },
  ] as const
  expect(joinTexts(await ask({ messages, tools: [TOOL] }))).toBe('Seven <b> a < b.')
  const [first, second] = asked('session/prompt').map(({ params }) => params.prompt[0].text as string)
  expect(first).toContain('{"name":"count","description":"Counts.","parameters":{"type":"object"}}')
  expect(second).toContain(`<tool_result name="count" id="${calls[0]?.id}">\n7\n</tool_result>`)
})

test('arguments that are no JSON reach the model as they are, and text that is no call is shown', async () => {
  const { ask } = await open({
    replies: [
      { chunks: ['<function_call>{"name": "count", "arguments": {</function_call>'] },
      { chunks: ['<function_call>what?'] },
    ],
  })
  const [call] = await ask({ tools: [TOOL] })
  expect(call).toMatchObject({ type: 'tool-call', call: { name: 'count', input: '{"name": "count", "arguments": {' } })
  const events = await ask({ tools: [TOOL] })
  expect(joinTexts(events)).toBe('<function_call>what?')
  expect(events.at(-1)).toEqual({ type: 'end', reason: 'stop' })
})

test('pictures go along, and a mark in an answer without tools is text', async () => {
  const { ask, asked } = await open({ replies: [{ chunks: ['<function_call>{"name":"x"}</function_call>'] }] })
  const images = [{ mediaType: 'image/png', data: 'aGk=' }]
  const events = await ask({ messages: [{ role: 'user', text: 'Look', images }] })
  expect(joinTexts(events)).toBe('<function_call>{"name":"x"}</function_call>')
  expect(asked('session/prompt')[0].params.prompt[1]).toEqual({ type: 'image', mimeType: 'image/png', data: 'aGk=' })
})

test('it may do nothing on this machine: permissions are refused, files are not read, secrets are not given', async () => {
  const script = {
    replies: [
      { permission: true, chunks: ['No.'] },
      { permission: 'only-yes', chunks: ['No.'] },
    ],
  }
  const { ask, asked, log } = await open(script, { OPENAI_API_KEY: 'sk-canary', GH_TOKEN: 'gho_own' })
  expect(joinTexts(await ask())).toBe('No.')
  await ask()
  expect(asked('permission').map(({ outcome }) => outcome)).toEqual([
    { outcome: 'selected', optionId: 'no' },
    { outcome: 'cancelled' },
  ])
  expect(asked('read').map(({ asked: { refused } }) => refused)).toEqual([-32_601, -32_601])
  expect(asked('initialize')[0].params.clientCapabilities).toMatchObject({
    fs: { readTextFile: false, writeTextFile: false },
    terminal: false,
  })
  const [{ env }] = log()
  expect(env).toContain('GH_TOKEN')
  expect(env).toContain('SVC_SHELL')
  expect(env).not.toContain('OPENAI_API_KEY')
})

test('a model is chosen by its id, and an unknown one is told with those there are', async () => {
  const { ask, asked, provider } = await open({ models: ['gpt-5', 'claude'] })
  expect((await provider.models()).map(({ id }) => id)).toEqual(['default'])
  expect(joinTexts(await ask({ model: 'claude' }))).toBe('Hello.')
  expect(asked('session/set_config_option')[0].params).toMatchObject({ configId: 'model', value: 'claude' })
  expect((await provider.models()).map(({ id }) => id)).toEqual(['default', 'gpt-5', 'claude'])
  expect(findFailure(await ask({ model: 'gpt-9' }))).toMatchObject({
    kind: 'model-not-found',
    message: expect.stringContaining('It offers: gpt-5, claude.'),
  })
})

test('without a sign-in the command is named, and after it the same program answers', async () => {
  const { ask, folder } = await open({ signedIn: false })
  expect(findFailure(await ask())).toMatchObject({ kind: 'auth', message: expect.stringContaining('`copilot login`') })
  writeFileSync(join(folder, 'signed-in'), '')
  expect(joinTexts(await ask())).toBe('Hello.')
})

test('a sign-in names the command, waits for it, and keeps no token of Copilot', async () => {
  const { kernel, clock, folder, asked } = await open({ signedIn: false })
  const attempt = kernel.use(SignIns).start('copilot-acp:cli')
  await vi.waitFor(() => expect(attempt.state.step).toEqual({ kind: 'run-command', command: 'copilot login' }))
  writeFileSync(join(folder, 'signed-in'), '')
  await clock.advance(5000)
  await vi.waitFor(() => expect(attempt.state.status).toBe('approved'), { timeout: 20_000 })
  expect(asked('session/new')).toHaveLength(1)
  expect(attempt.state.credential).toMatchObject({ provider: 'copilot-acp', account: 'GitHub Copilot CLI' })
})

test('a program that is missing is told with how to install it', async () => {
  const { provider, ask } = await open({}, { PATH: '/nowhere' })
  expect(await provider.status()).toMatchObject({
    ready: false,
    detail: expect.stringContaining('npm install -g @github/copilot'),
  })
  expect(findFailure(await ask())?.message).toContain('npm install -g @github/copilot')
  const named = await open({}, { COPILOT_CLI_PATH: '/nowhere/copilot' })
  expect((await named.provider.status()).detail).toBe(
    'COPILOT_CLI_PATH names /nowhere/copilot, which is not a program.',
  )
})

test('a program that ends in the middle fails the call with its last words, without secrets, and is started again', async () => {
  const { ask, log } = await open(
    { replies: [{ chunks: ['Half'], exit: true }] },
    { GH_TOKEN: 'gho_canary0123456789abcdefghij' },
  )
  const events = await ask()
  expect(joinTexts(events)).toBe('Half')
  const failure = findFailure(events)
  expect(failure).toMatchObject({ kind: 'cut', retryable: true, message: expect.stringContaining('out of memory') })
  expect(failure?.message).not.toContain('gho_canary')
  await ask()
  expect(log().filter(({ words }) => words)).toHaveLength(2)
})

test('a program that ends at once, or speaks another version, is told as that', async () => {
  const dead = await open({ dies: 'this Node is too old' })
  expect(findFailure(await dead.ask())?.message).toContain('this Node is too old')
  const other = await open({ version: 2 })
  expect(findFailure(await other.ask())?.message).toMatch(/speaks version 2 .* svc 1/)
})

test('lines that are no message cost nothing, and errors of a call only that call', async () => {
  const { ask, log } = await open({
    replies: [{ garbage: true, chunks: ['Fine.'] }, { error: -32_603 }, { chunks: ['Again.'] }],
  })
  expect(joinTexts(await ask())).toBe('Fine.')
  expect(findFailure(await ask())).toMatchObject({
    kind: 'server',
    message: expect.stringContaining('it did not work'),
  })
  expect(await ask()).toMatchObject([{ text: 'Again.' }, { type: 'end' }])
  expect(log().filter(({ words }) => words)).toHaveLength(1)
})

test.for([
  ['max_tokens', 'length'],
  ['refusal', 'filtered'],
] as const)('an answer that ends with %s ends with %s', async ([stop, reason]) => {
  const { ask } = await open({ replies: [{ chunks: ['x'], stop }] })
  expect((await ask()).at(-1)).toEqual({ type: 'end', reason })
})

test('an interrupted call tells the program to stop', async () => {
  const { ask, asked } = await open({ replies: [{ chunks: ['Half'], hangs: true }] })
  const stop = new AbortController()
  const events = await ask({ signal: stop.signal }, (event) => {
    if (event.type === 'text') stop.abort()
  })
  expect(findFailure(events)?.kind).toBe('aborted')
  await vi.waitFor(() => expect(asked('session/cancel')).toHaveLength(1))
})

test('an idle program is ended, and one that listens on this machine is used', async () => {
  const { ask, clock, log } = await open()
  await ask()
  await clock.advance(301_000)
  await ask()
  expect(log().filter(({ words }) => words)).toHaveLength(2)
  const served = makeProgram({ replies: [{ chunks: ['Over TCP.'] }] })
  const child = spawn(served.program, ['--acp', '--port', '0'], { stdio: 'ignore' })
  onTestFinished(() => void child.kill())
  await vi.waitFor(() => expect(served.log().some(({ port }) => port > 0)).toBe(true), { timeout: 20_000 })
  const { port } = served.log().find((entry) => entry.port > 0)
  const other = await open({}, { COPILOT_ACP_BASE_URL: `acp://127.0.0.1:${port}` })
  expect(joinTexts(await other.ask())).toBe('Over TCP.')
  expect(other.log()).toEqual([])
})

test('an address of another machine is refused with the right form', async () => {
  const { provider, ask } = await open({}, { COPILOT_ACP_BASE_URL: 'acp://example.org:3000' })
  expect(await provider.status()).toMatchObject({
    ready: false,
    detail: expect.stringContaining('acp://127.0.0.1:3000'),
  })
  expect(findFailure(await ask())?.message).toContain('names this machine')
})
