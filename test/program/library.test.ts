import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type InlinePlugin, openSvc } from 'svc'
import { CliCommands, Clock, defineService, Home, Net, Random, Secrets, type Service, SvcError } from 'svc/sdk'
import { testKernel, virtualClock } from 'svc/sdk/testing'
import { expect, test } from 'vitest'
import { realRandom } from '../../program/ports.ts'
import { temporaryFolder, writeFiles } from '../support/temporary.ts'

const Greeter: Service<{ hello(): string }> = defineService('greeter')

/** A plugin with a command that greets, asks, or fails. */
const greet: InlinePlugin = {
  name: 'greeter',
  cli: [{ name: 'greet', description: 'Greets' }],
  setup(ctx) {
    ctx.add(CliCommands, {
      name: 'greet',
      description: 'Greets.',
      arguments: '[name]',
      async run({ args: [name] }, io) {
        if (name === 'nobody') throw new SvcError('GREETER_ALONE', 'Nobody is here.')
        const answer = name ?? (await io.ask('Who? '))
        io.out(`hello ${answer}\n`)
        return answer === undefined ? 1 : 0
      },
    })
  },
}

test('another program opens the runtime, brings a plugin, uses its service, and stops it', async () => {
  const home = temporaryFolder()
  const closed: string[] = []
  const svc = await openSvc({
    home,
    env: {},
    with: [
      {
        name: 'greeter',
        setup(ctx) {
          ctx.provide(Greeter, () => ({ hello: () => 'hello' }))
          ctx.defer(() => void closed.push('greeter'))
        },
      },
    ],
  })
  expect(svc.use(Greeter).hello()).toBe('hello')
  expect(svc.home).toBe(home)
  expect(svc.plugins.info('greeter')).toMatchObject({ origin: 'embedded', status: 'started' })
  await svc.stop()
  expect(closed).toEqual(['greeter'])
})

test('a plugin that fails is reported, not thrown at the program', async () => {
  await using svc = await testKernel({ with: [{ name: 'faulty', setup: () => Promise.reject(new Error('no')) }] })
  expect(svc.problems()).toMatchObject([{ plugin: 'faulty', message: 'no' }])
  expect(svc.find(Greeter)).toBeUndefined()
})

test('time, randomness, network and environment can be given', async () => {
  const net = { request: async () => Promise.reject(new Error('no network here')) }
  const random = { ...realRandom, uuid: () => 'always-the-same' }
  const clock = virtualClock(0)
  await using svc = await testKernel({ clock, random, net, env: { A_KEY: 'from-the-program' } })
  expect(svc.use(Clock).now()).toBe(0)
  expect(svc.use(Random).uuid()).toBe('always-the-same')
  await expect(svc.use(Net).request({ url: 'http://127.0.0.1' })).rejects.toThrow('no network here')
  expect(svc.use(Secrets).get('A_KEY')).toBe('from-the-program')
})

test('a test kernel sees nothing of the machine and leaves nothing on it', async () => {
  const kernel = await testKernel()
  expect(kernel.use(Secrets).get('PATH')).toBeUndefined()
  expect(existsSync(kernel.use(Home).dir)).toBe(true)
  await kernel.stop()
  expect(existsSync(kernel.home)).toBe(false)
})

test('a home that was given is kept', async () => {
  const home = temporaryFolder()
  writeFiles(home, { 'config.yaml': 'a: 1\n' })
  await (await testKernel({ home })).stop()
  expect(existsSync(join(home, 'config.yaml'))).toBe(true)
})

test('a broken config.yaml is thrown at the program, which cannot guess what was meant', async () => {
  const home = temporaryFolder()
  writeFiles(home, { 'config.yaml': 'model: {' })
  await expect(openSvc({ home, env: {} })).rejects.toMatchObject({ code: 'CONFIG_UNREADABLE' })
})

test('a shell command runs inside, and is answered', async () => {
  await using kernel = await testKernel({ with: [greet] })
  expect(await kernel.run(['greet', 'Ada'])).toEqual({ code: 0, out: 'hello Ada\n', err: '' })
  expect(await kernel.run(['greet'], { answers: ['Bob'] })).toEqual({ code: 0, out: 'hello Bob\n', err: 'Who? ' })
  expect(await kernel.run(['greet'])).toMatchObject({ code: 1 })
})

test('errors of a shell command are said as on a terminal, with its exit codes', async () => {
  await using kernel = await testKernel({ with: [greet] })
  expect(await kernel.run(['greet', 'nobody'])).toEqual({
    code: 1,
    out: '',
    err: 'svc: Nobody is here. (GREETER_ALONE)\n',
  })
  expect(await kernel.run(['greet', '--loud'])).toMatchObject({ code: 2 })
  expect(await kernel.run(['no-such-command'])).toMatchObject({ code: 2 })
  expect(await kernel.run([])).toMatchObject({ code: 2 })
})

test('a command keeps its plugin alive until it ends, whatever happens to the plugin meanwhile', async () => {
  const log: string[] = []
  let started = () => {}
  const running = new Promise<void>((resolve) => {
    started = resolve
  })
  let finish = () => {}
  await using kernel = await testKernel({
    with: [
      {
        name: 'slow',
        cli: [{ name: 'wait', description: 'Waits' }],
        setup(ctx) {
          ctx.add(CliCommands, {
            name: 'wait',
            description: 'Waits.',
            async run(_input, io) {
              started()
              await new Promise<void>((resolve) => {
                finish = resolve
              })
              io.out(log.includes('closed') ? 'too late' : 'in time')
            },
          })
          ctx.defer(() => void log.push('closed'))
        },
      },
    ],
  })
  const waiting = kernel.run(['wait'])
  await running
  await kernel.plugins.disable('slow')
  expect(log).toEqual([])
  finish()
  expect(await waiting).toMatchObject({ code: 0, out: 'in time' })
  expect(log).toEqual(['closed'])
})
