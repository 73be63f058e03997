import { spawn } from 'node:child_process'
import { mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { SvcError, Tools } from 'svc/sdk'
import { Control, type ControlAnswer } from 'svc/sdk/host'
import { type TestKernel, testKernel } from 'svc/sdk/testing'
import { expect, test } from 'vitest'
import { sockets, temporaryHome } from './support.ts'

type Options = NonNullable<Parameters<typeof testKernel>[0]>
const idle = { name: 'idle', setup() {} }

/** A front end that runs, as others reach it. */
async function running(home: string, options: Options = {}): Promise<TestKernel> {
  const kernel = await testKernel({ plugins: ['control'], ...options, home })
  await kernel.use(Control).serve('chat')
  return kernel
}

/** A shell command in the same home. */
function asking(home: string): Promise<TestKernel> {
  return testKernel({ home, plugins: ['control'] })
}

/** A process that listened in a home and was killed: what it leaves behind. */
async function killedProcess(home: string): Promise<number> {
  mkdirSync(join(home, 'run'), { recursive: true, mode: 0o700 })
  const script = `const { pid } = process; require('net').createServer().listen(process.argv[1] + '/run/' + pid + '.sock', () => console.log(pid))`
  const child = spawn(process.execPath, ['-e', script, home], { stdio: ['ignore', 'pipe', 'inherit'] })
  await new Promise((resolve) => child.stdout.once('data', resolve))
  child.kill('SIGKILL')
  await new Promise((resolve) => child.once('exit', resolve))
  return child.pid as number
}

test('a command sees the plugins of a process that runs in its home', async () => {
  const home = temporaryHome()
  await using _chat = await running(home, { with: [idle] })
  await using command = await asking(home)
  const [answer] = await command.use(Control).ask('plugins.list')
  expect(answer).toMatchObject({ pid: process.pid, command: 'chat' })
  const idleThere = expect.objectContaining({ origin: 'embedded', status: 'started', generation: 1 })
  expect(answer?.result).toMatchObject({ plugins: expect.arrayContaining([idleThere]), problems: [] })
})

test('no one answers where nothing runs', async () => {
  await using command = await asking(temporaryHome())
  expect(await command.use(Control).ask('plugins.list')).toEqual([])
})

test('all processes of a home are asked, those of another home are not', async () => {
  const home = temporaryHome()
  await using _first = await running(home)
  await using second = await testKernel({ home, plugins: ['control'] })
  await second.use(Control).serve('gateway')
  await using _stranger = await running(temporaryHome())
  await using command = await asking(home)
  const answers = await command.use(Control).ask('plugins.list')
  expect(answers.map((answer) => answer.command).sort()).toEqual(['chat', 'gateway'])
})

test('a plugin is switched off, on and reloaded in another process', async () => {
  const home = temporaryHome()
  const setups: string[] = []
  const counted = { name: 'counted', setup: () => void setups.push('set up') }
  await using chat = await running(home, { with: [counted], config: { plugins: { enabled: ['counted'] } } })
  await using command = await asking(home)
  const tell = (method: string) => command.use(Control).ask(method, { name: 'counted' })
  expect(await tell('plugins.disable')).toMatchObject([{ result: { names: ['counted'] } }])
  expect(chat.plugins.info('counted')?.status).toBe('available')
  expect(await tell('plugins.enable')).toMatchObject([{ result: { status: 'started', generation: 2 } }])
  expect(await tell('plugins.reload')).toMatchObject([{ result: { status: 'started', generation: 3 } }])
  expect(setups).toHaveLength(3)
})

test('a generation that fails leaves the old one serving, and the command hears why', async () => {
  const home = temporaryHome()
  let attempts = 0
  const saw = {
    name: 'saw',
    description: 'cuts',
    input: { '~standard': { version: 1, vendor: 'test', validate: (value: unknown) => ({ value }) } },
    effect: 'pure',
    toolset: 'test',
    reach: 'nothing',
    run: async () => 'cut',
  } as const
  await using chat = await running(home, {
    with: [
      {
        name: 'fragile',
        setup(ctx) {
          if (++attempts > 1) throw new SvcError('BROKEN', 'the new one is broken')
          ctx.add(Tools, saw)
        },
      },
    ],
  })
  await using command = await asking(home)
  const [answer] = await command.use(Control).ask('plugins.reload', { name: 'fragile' })
  expect(answer?.error?.code).toBe('PLUGIN_RELOAD_FAILED')
  expect(answer?.error?.message).toContain('the new one is broken')
  expect(chat.all(Tools).get('saw')).toBeDefined()
})

test('a plugin that config.yaml switches on a moment later is waited for', async () => {
  const home = temporaryHome()
  writeFileSync(join(home, 'config.yaml'), 'plugins:\n  disabled: [idle]\n')
  await using chat = await running(home, { with: [idle] })
  expect(chat.plugins.info('idle')?.status).toBe('left-out')
  await using command = await asking(home)
  const answers = command.use(Control).ask('plugins.enable', { name: 'idle' })
  writeFileSync(join(home, 'config.yaml'), 'plugins:\n  enabled: [idle]\n')
  await chat.applyConfig()
  expect(await answers).toMatchObject([{ result: { status: 'started' } }])
})

test('the socket of a process that was killed is taken away', async () => {
  const home = temporaryHome()
  const pid = await killedProcess(home)
  expect(sockets(home)).toEqual([`${pid}.sock`])
  await using command = await asking(home)
  expect(await command.use(Control).ask('plugins.list')).toEqual([])
  expect(sockets(home)).toEqual([])
})

test('a process that starts takes away the sockets of killed ones, and never the place of a living one', async () => {
  const home = temporaryHome()
  const pid = await killedProcess(home)
  await using _first = await running(home)
  expect(sockets(home)).not.toContain(`${pid}.sock`)
  await using _second = await running(home)
  expect(sockets(home)).toEqual([`${process.pid}-1.sock`, `${process.pid}.sock`])
})

test('a socket file that an earlier process of this id left is no obstacle', async () => {
  const home = temporaryHome()
  mkdirSync(join(home, 'run'))
  const file = join(home, 'run', `${process.pid}.sock`)
  writeFileSync(file, '')
  utimesSync(file, 0, 0)
  await using _chat = await running(home)
  await using command = await asking(home)
  expect(await command.use(Control).ask('plugins.list')).toMatchObject([{ command: 'chat' }])
})

test('what a front end adds is answered, and it cannot stand in for what is always there', async () => {
  const home = temporaryHome()
  await using chat = await testKernel({ home, plugins: ['control'] })
  await chat.use(Control).serve('chat', {
    echo: (params) => params,
    fail: () => Promise.reject(new SvcError('NO_WAY', 'not today')),
    'plugins.list': () => 'a lie',
  })
  await using command = await asking(home)
  const ask = command.use(Control)
  expect(await ask.ask('echo', { a: [1, 'ä'] })).toMatchObject([{ result: { a: [1, 'ä'] } }])
  expect(await ask.ask('fail')).toMatchObject([{ error: { code: 'NO_WAY', message: 'not today' } }])
  expect(await ask.ask('plugins.list')).toMatchObject([{ result: { problems: [] } }])
})

test('a process that does not answer in time says so, and the others are heard', async () => {
  const home = temporaryHome()
  await using stuck = await testKernel({ home, plugins: ['control'] })
  await stuck.use(Control).serve('stuck', { ping: () => new Promise(() => {}) })
  await using lively = await testKernel({ home, plugins: ['control'] })
  await lively.use(Control).serve('lively', { ping: () => 'pong' })
  await using command = await asking(home)
  const answers = await command.use(Control).ask('ping', {}, { limitMs: 1500 })
  expect(answers.map(({ result, error }) => result ?? error?.code).sort()).toEqual(['CONTROL_TIMEOUT', 'pong'])
})

test('after it stops being reachable, nothing of a process is left', async () => {
  const home = temporaryHome()
  await using chat = await testKernel({ home, plugins: ['control'], audit: true })
  const stop = await chat.use(Control).serve('chat')
  expect(sockets(home)).toHaveLength(1)
  await stop()
  expect(sockets(home)).toEqual([])
  await chat.use(Control).serve('chat')
  await chat.plugins.disable('control')
  expect(readdirSync(join(home, 'run'))).toEqual([])
  expect(chat.problems()).toEqual([])
})

test('a process stays reachable when the plugin that makes it so is reloaded, or goes and comes back', async () => {
  const home = temporaryHome()
  await using chat = await testKernel({ home, plugins: ['control'] })
  const stop = await chat.use(Control).serve('chat')
  await using command = await asking(home)
  const tell = (method: string, name = 'control') => command.use(Control).ask(method, { name })
  expect(await tell('plugins.reload')).toMatchObject([{ result: { generation: 2 } }])
  expect(await tell('plugins.reload')).toMatchObject([{ result: { generation: 3 } }])
  expect(sockets(home)).toHaveLength(1)
  expect(await tell('plugins.disable')).toMatchObject([{ result: { names: ['control'] } }])
  expect(await tell('plugins.list')).toEqual([])
  await chat.plugins.enable('control')
  const [answer]: readonly ControlAnswer[] = await tell('plugins.list')
  expect(answer?.command).toBe('chat')
  await stop()
  expect(sockets(home)).toEqual([])
})
