import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  Agent,
  type ApprovalRequest,
  Approvals,
  Home,
  Random,
  Sessions,
  type Tool,
  type ToolContext,
  type ToolResult,
  Tools,
  type TurnEvent,
} from 'svc/sdk'
import type { RegisteredTool } from 'svc/sdk/host'
import { fakeProvider, fakeToolTurn, testKernel, toolContract, type VirtualClock, virtualClock } from 'svc/sdk/testing'
import { afterAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { z } from 'zod'
import { passGates } from '../../../support/gates.ts'
import { removeFolder } from '../../../support/remove-folder.ts'

const PATH = '/usr/local/bin:/usr/bin:/bin'
const hasSandbox = spawnSync('bwrap', ['--unshare-all', '--ro-bind', '/', '/', 'true']).status === 0
const hasPython = ['/usr/local/bin', '/usr/bin', '/bin'].some((folder) => existsSync(join(folder, 'python3')))
const why = hasSandbox ? '' : ' (skipped: bubblewrap does not work here)'
const folder = mkdtempSync(join(tmpdir(), 'svc-code-test-'))
afterAll(() => removeFolder(folder))

type Options = NonNullable<Parameters<typeof testKernel>[0]>
type Call = NonNullable<ToolContext['call']>

/** A kernel with the tool; scripts run freely unless `PATH` leads to bubblewrap. */
async function open(options: Options = {}) {
  const kernel = await testKernel({ plugins: ['tool-code', 'tool-files', 'tool-terminal'], ...options })
  onTestFinished(() => kernel.stop())
  const tool = kernel.all(Tools).get('execute_code') as RegisteredTool
  const run = async (code: string, more: Partial<ToolContext> & { language?: string } = {}): Promise<ToolResult> => {
    const { language = 'javascript', ...part } = more
    const turn = fakeToolTurn({ cwd: folder, ...part })
    const parsed = await tool.input['~standard'].validate({ code, language })
    if (parsed.issues) throw new Error(parsed.issues.map(({ message }) => message).join())
    const { allow, reason } = await passGates(kernel, tool, parsed.value, turn).catch(({ message }) => ({
      allow: false,
      reason: message,
    }))
    if (!allow) return { text: `Not allowed: ${reason}`, failed: true }
    return (await tool.run(parsed.value, turn)) as ToolResult
  }
  return { kernel, run, tool }
}

/** Where no bubblewrap is found and every question is off. */
const freely = (config: object = {}, more: Options = {}) =>
  open({ config: { approvals: { mode: 'off' }, code_execution: config }, env: { PATH: '/nowhere' }, ...more })

/** Lets time pass until the work is done. */
async function passTime<T>(clock: VirtualClock, work: Promise<T>): Promise<T> {
  let isOver = false
  const over = () => {
    isOver = true
  }
  work.then(over, over)
  while (!isOver) await clock.advance(100)
  return work
}

/** Answers calls with what was called. */
const echo: Call = async (name, input) => ({ text: `${name} ${JSON.stringify(input)}`, data: { input } })

test('a script calls tools as functions and only what it prints comes back', async () => {
  const { run } = await freely()
  const code = `const { text, data } = await read_file({ path: 'a' })
for (const path of ['b', 'c']) await write_file({ path, content: data.input.path })
console.log(text)`
  const seen: unknown[] = []
  const call: Call = async (name, input) => {
    seen.push([name, input])
    return echo(name, input)
  }
  expect(await run(code, { call })).toMatchObject({
    text: 'read_file {"path":"a"}',
    data: { status: 'success', output: 'read_file {"path":"a"}', tool_calls_made: 3 },
  })
  expect(seen).toEqual([
    ['read_file', { path: 'a' }],
    ['write_file', { path: 'b', content: 'a' }],
    ['write_file', { path: 'c', content: 'a' }],
  ])
})

test('files that a script made go to the person, when it ends well', async () => {
  const { tool } = await freely()
  const attempt = async (code: string) => {
    const parsed = await tool.input['~standard'].validate({ code, attach: ['out/plot.png', '/tmp/x.csv'] })
    if (parsed.issues) throw new Error(String(parsed.issues))
    const place = { cwd: folder, sessionId: 's' }
    expect(await tool.acts?.(parsed.value, place)).toMatchObject({ reads: ['out/plot.png', '/tmp/x.csv'] })
    return ((await tool.run(parsed.value, fakeToolTurn({ cwd: folder }))) as ToolResult).files
  }
  expect(await attempt('console.log(1)')).toEqual([{ path: join(folder, 'out/plot.png') }, { path: '/tmp/x.csv' }])
  expect(await attempt('throw new Error("no")')).toBeUndefined()
})

test('a call that fails throws in the script, which may catch it', async () => {
  const { run } = await freely()
  const call: Call = async () => ({ text: 'no such file', failed: true })
  const caught = `try { await read_file({ path: 'x' }) } catch (error) { console.log('caught', error.message) }`
  expect((await run(caught, { call })).text).toBe('caught no such file')
  const failed = await run(`await read_file({ path: 'x' })`, { call })
  expect(failed).toMatchObject({ failed: true, data: { status: 'error', tool_calls_made: 1 } })
  expect(failed.text).toContain('no such file')
  expect(failed.text).toContain('[exit 1]')
})

test('only the named tools are called, commands stay in the foreground, and the calls have an end', async () => {
  const { run } = await freely({ max_calls: 2 })
  const attempt = (call: string) => `try { ${call}; console.log('ran') } catch (error) { console.log(error.message) }`
  const code = `const { Socket } = await import('node:net')
${attempt(`await terminal({ command: 'sleep 9', background: true })`)}
${attempt(`await read_file({})`)}
${attempt(`await read_file({})`)}
${attempt(`await read_file({})`)}
console.log(typeof memory)`
  expect((await run(code, { call: echo })).text.split('\n')).toEqual([
    'A script runs commands in the foreground only: leave out background.',
    'ran',
    'ran',
    'The script has made its 2 tool calls; no more are run.',
    'undefined',
  ])
})

test('calls that change something wait for each other, those that only read do not', async () => {
  const reader: Tool = {
    name: 'peek',
    description: 'x',
    input: z.object({}),
    effect: 'pure',
    toolset: 'file',
    scope: { scripts: true },
    reach: 'nothing',
    run: async () => '',
  }
  const { run } = await freely(
    {},
    {
      with: [{ name: 'reader', contributes: { tools: ['peek'] }, setup: (ctx) => void ctx.add(Tools, reader) }],
    },
  )
  let now = 0
  let most = 0
  let together = () => {}
  const three = new Promise<void>((resolve) => {
    together = resolve
  })
  const call: Call = async (name) => {
    now++
    if (name === 'peek' && now === 3) together()
    if (name === 'peek') await three
    else {
      most = Math.max(most, now)
      await new Promise((resolve) => setImmediate(resolve))
    }
    now--
    return { text: 'ok' }
  }
  const code = `await Promise.all([write_file({}), write_file({}), write_file({})])
await Promise.all([peek({}), peek({}), peek({})])`
  expect((await run(code, { call })).failed).toBeUndefined()
  expect(most).toBe(1)
})

test('a script that takes too long is ended with all that it started', async () => {
  const clock = virtualClock()
  const { run } = await freely({ timeout: 1 }, { clock })
  const code = `const { spawn } = await import('node:child_process')
const child = spawn('/bin/sh', ['-c', 'sleep 1000'])
await read_file({ path: String(child.pid) })
await new Promise((resolve) => setTimeout(resolve, 1000_000))`
  let pid = 0
  const call: Call = async (_, input) => {
    pid = Number((input as { path: string }).path)
    return { text: 'ok' }
  }
  const running = run(code, { call })
  await vi.waitFor(() => expect(pid).toBeGreaterThan(0), 20_000)
  const result = await passTime(clock, running)
  expect(result).toMatchObject({ failed: true, data: { status: 'timeout' } })
  expect(result.text).toContain('took longer than 1 s')
  // What has ended may wait for its new parent to take notice of it.
  const state = () => spawnSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' }).stdout.trim()
  await vi.waitFor(() => expect(state()).toMatch(/^(Z.*)?$/), 20_000)
})

test('the time that tools take does not count', async () => {
  const clock = virtualClock()
  const { run } = await freely({ timeout: 1 }, { clock })
  const call: Call = async () => {
    await clock.advance(60_000)
    return { text: 'slow' }
  }
  const code = `console.log((await terminal({ command: 'x' })).text, (await terminal({ command: 'x' })).text)`
  expect(await run(code, { call })).toMatchObject({ text: 'slow slow' })
})

test('an interrupted turn ends the script at once', async () => {
  const { run } = await freely()
  const abort = new AbortController()
  const call: Call = async () => {
    abort.abort()
    return { text: 'ok' }
  }
  const code = `await read_file({}); await new Promise((resolve) => setTimeout(resolve, 1000_000))`
  const result = await run(code, { call, signal: abort.signal })
  expect(result).toMatchObject({ failed: true, data: { status: 'interrupted' } })
})

test('of long output the beginning and the end are kept', async () => {
  const { run } = await freely()
  const code = `for (let at = 0; at < 20000; at++) console.log('line ' + at); console.error('e'.repeat(20000)); process.exitCode = 3`
  const { text, data } = await run(code)
  expect(text).toMatch(/^line 0\n/)
  expect(text).toContain('line 19999\n')
  expect(text).toContain('characters left out]')
  expect(text).toMatch(/\[exit 3\]$/)
  expect((data as { output: string }).output.length).toBeLessThan(50_100)
})

test('no secret of the environment reaches a script', async () => {
  const { run } = await open({
    config: { approvals: { mode: 'off' } },
    env: { PATH: '/nowhere', HOME: '/home/somebody', MY_API_KEY: 'canary-canary', OTHER: 'x' },
  })
  const { text } = await run('console.log(JSON.stringify(Object.keys(process.env).sort()), process.env.HOME)')
  expect(text).toBe('["HOME","PATH","PYTHONDONTWRITEBYTECODE","SVC_SHELL","TERM"] /home/somebody')
})

test.skipIf(!hasPython)('Python scripts have the same functions', async () => {
  const { run } = await open({
    config: { approvals: { mode: 'off' } },
    env: { PATH: '/usr/bin:/bin' },
  })
  const code = `print(read_file(path='a')['text'])
try:
    memory
except NameError:
    print('no memory')`
  expect(await run(code, { language: 'python', call: echo })).toMatchObject({
    text: 'read_file {"path":"a"}\nno memory',
    data: { status: 'success', tool_calls_made: 1 },
  })
  const failing: Call = async () => ({ text: 'no such file', failed: true })
  const failed = await run(`read_file(path='a')`, { language: 'python', call: failing })
  expect(failed.text).toContain('ToolError: no such file')
})

test('without python3 the model is told to write JavaScript', async () => {
  const { run } = await freely()
  await expect(run('print(1)', { language: 'python' })).rejects.toThrow('no python3 on the PATH')
})

test('in a turn the calls of a script are events of the turn and pass the gates', async () => {
  const code = `const { text } = await read_file({ path: 'notes.txt' })
try { await terminal({ command: 'forbidden' }) } catch (error) { console.log(text, error.message) }`
  const fake = fakeProvider([{ calls: [{ name: 'execute_code', input: { code } }] }, 'done'])
  const kernel = await testKernel({
    plugins: ['agent'],
    with: [fake.plugin],
    env: { PATH: '/nowhere' },
    config: {
      model: { provider: 'fake', default: 'fake-1' },
      approvals: { mode: 'off', deny: ['forbidden'] },
      tool_search: { keep: ['execute_code'] },
    },
  })
  onTestFinished(() => kernel.stop())
  writeFileSync(join(folder, 'notes.txt'), 'from the file')
  const session = kernel.use(Sessions).create({ surface: 'cli', cwd: folder })
  const events: TurnEvent[] = []
  for await (const event of kernel.use(Agent).run({ sessionId: session.id, text: 'go', surface: 'cli' }))
    events.push(event)
  const complete = events.filter((event) => event.type === 'tool.complete')
  expect(complete.map(({ name, ok }) => [name, ok])).toEqual([
    ['read_file', true],
    ['terminal', false],
    ['execute_code', true],
  ])
  expect(complete.at(-1)?.text).toMatch(/from the file[\s\S]*Not allowed/)
})

describe('where scripts cannot be locked up', () => {
  const nowhere = { env: { PATH: '/nowhere' } }

  test('a person is asked, shown the script, and may say no', async () => {
    const { kernel, run } = await open(nowhere)
    const asked: ApprovalRequest[] = []
    kernel.use(Approvals).connect({
      name: 'anna',
      reaches: () => true,
      ask: async (request) => {
        asked.push(request)
        return asked.length === 1 ? 'deny' : 'once'
      },
    })
    const code = `console.log('it is ' + 1)`
    expect(await run(code)).toMatchObject({ failed: true, text: expect.stringContaining('said no') })
    expect(asked[0]).toMatchObject({ tool: 'execute_code', action: expect.stringContaining(`it is '\\'' + 1`) })
    expect(await run(code)).toMatchObject({ text: 'it is 1' })
    expect(asked).toHaveLength(2)
  })

  test('with no one to ask it is not run, and neither without approvals', async () => {
    const lonely = await open(nowhere)
    expect((await lonely.run('1')).text).toMatch(/^Not allowed: [\s\S]*no person is reachable/)
    const bare = await open({ ...nowhere, config: { plugins: { disabled: ['approvals'] } } })
    expect((await bare.run('1')).text).toMatch(/cannot be confined, and no person can be asked/)
  })

  test('gates see the command that the script amounts to, and a question that no answer outlives', async () => {
    const { tool } = await open(nowhere)
    const acts = await tool.acts?.({ code: '1', language: 'python' }, { cwd: folder, sessionId: 'ses_1' })
    expect(acts).toMatchObject({ command: expect.stringMatching(/^python3 -c /), ask: { choices: ['once', 'deny'] } })
  })

  test('what can never be allowed is not, with all questions off', async () => {
    const { run } = await open({ ...nowhere, config: { approvals: { mode: 'off', deny: ['node*'] } } })
    expect((await run('1')).text).toContain('approvals.deny')
  })
})

describe.skipIf(!hasSandbox)(`locked up${why}`, () => {
  const attempt = (code: string) =>
    `try { ${code}; console.log('it worked') } catch (error) { console.log(error.code ?? error.message) }`

  test('a script runs unasked, reads the working folder and writes nothing', async () => {
    writeFileSync(join(folder, 'notes.txt'), 'hello')
    const { run } = await open({ env: { PATH } })
    const code = `const fs = await import('node:fs')
console.log(fs.readFileSync('notes.txt', 'utf8'), (await read_file({ path: 'a' })).text)
${attempt(`fs.writeFileSync('mine.txt', 'x')`)}
${attempt(`fs.writeFileSync('/etc/mine.txt', 'x')`)}
${attempt(`fs.writeFileSync('/tmp/scratch.txt', 'x')`)}`
    const { text } = await run(code, { call: echo })
    expect(text.split('\n')).toEqual(['hello read_file {"path":"a"}', 'EROFS', 'EROFS', 'it worked'])
    expect(readdirSync(folder)).not.toContain('mine.txt')
    expect(existsSync('/tmp/scratch.txt')).toBe(false)
  })

  test('it is not run freely when what locks it up goes after it was judged', async () => {
    const { kernel, tool } = await open({ env: { PATH } })
    const input = Object.freeze({ code: '1', language: 'javascript' })
    expect(await tool.acts?.(input, { cwd: folder, sessionId: 's' })).toHaveProperty('confined')
    await kernel.plugins.disable('confinement')
    await expect(tool.run(input, fakeToolTurn({ cwd: folder }))).rejects.toMatchObject({ code: 'CODE_NOT_ALLOWED' })
  })

  test('it has no network and sees no other process', async () => {
    const { run } = await open({ env: { PATH } })
    const code = `const net = await import('node:net')
const fs = await import('node:fs')
await new Promise((resolve) => net.connect(${process.pid}, '127.0.0.1').on('error', ({ code }) => resolve(console.log(code))))
console.log(Object.keys((await import('node:os')).networkInterfaces()).join())
console.log(fs.readdirSync('/proc').filter((name) => /^\\d+$/.test(name)).length < 5)`
    expect((await run(code)).text).toMatch(/^ECONNREFUSED\n(lo)?\ntrue$/)
  })

  test('the keys of svc and of the user are out of its sight, and a working folder among them is not', async () => {
    const user = mkdtempSync(join(tmpdir(), 'svc-code-user-'))
    onTestFinished(() => removeFolder(user))
    mkdirSync(join(user, '.ssh'))
    writeFileSync(join(user, '.ssh', 'id_rsa'), 'canary')
    writeFileSync(join(user, '.netrc'), 'canary')
    const { kernel, run } = await open({ env: { PATH, HOME: user } })
    const home = kernel.use(Home).dir
    writeFileSync(join(home, '.env'), 'KEY=canary')
    const inside = join(home, 'workspace', 'one')
    mkdirSync(inside, { recursive: true })
    writeFileSync(join(inside, 'task.txt'), 'visible')
    const code = `const fs = await import('node:fs')
const read = (path) => { try { return fs.readFileSync(path, 'utf8') } catch (error) { return error.code } }
console.log(read('${user}/.ssh/id_rsa'), read('${user}/.netrc'), read('${home}/.env'), read('/etc/shadow') || 'empty')
console.log(read('task.txt'))`
    const { text } = await run(code, { cwd: inside })
    expect(text).not.toContain('canary')
    expect(text).toContain('visible')
    await expect(run('1', { cwd: home })).rejects.toMatchObject({ code: 'CONFINEMENT_FAILED' })
  })

  test('all that it started ends with it', async () => {
    const clock = virtualClock()
    const { kernel, run } = await open({ env: { PATH }, config: { code_execution: { timeout: 1 } }, clock })
    const mark = `svc-code-${kernel.use(Random).hex(8)}`
    const code = `const { spawn } = await import('node:child_process')
spawn('/bin/sh', ['-c', 'setsid sleep 1000; true', '${mark}'], { detached: true, stdio: 'ignore' }).unref()
await read_file({})
await new Promise((resolve) => setTimeout(resolve, 1000_000))`
    const processes = () => spawnSync('ps', ['-eo', 'args'], { encoding: 'utf8' }).stdout
    let begun = false
    const call: Call = async () => {
      await vi.waitFor(() => expect(processes()).toContain(mark), 20_000)
      begun = true
      return { text: 'ok' }
    }
    const running = run(code, { call })
    await vi.waitFor(() => expect(begun).toBe(true), 20_000)
    expect((await passTime(clock, running)).data).toMatchObject({ status: 'timeout' })
    await vi.waitFor(() => expect(processes()).not.toContain(mark), 20_000)
  })

  describe('it keeps the contract of tools', async () => {
    const kernel = await testKernel({ plugins: ['tool-code'], env: { PATH } })
    afterAll(() => kernel.stop())
    const samples = [
      { input: { code: 'console.log(6 * 7)' }, text: '42' },
      { input: { code: 'nonsense' }, text: 'ReferenceError', failed: true },
    ]
    const tool = kernel.all(Tools).get('execute_code') as Tool
    test.for(toolContract(tool, samples))('execute_code $name', ({ run }) => run())
  })
})
