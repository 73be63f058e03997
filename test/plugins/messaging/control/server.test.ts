import { statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { SvcError } from 'svc/sdk'
import { Control } from 'svc/sdk/host'
import { type TestKernel, testKernel, virtualClock } from 'svc/sdk/testing'
import { expect, test } from 'vitest'
import { dial, nextLine, received, sockets, temporaryHome } from './support.ts'

async function serving(
  options: Parameters<typeof testKernel>[0] = {},
  methods: Readonly<Record<string, (params: unknown) => unknown>> = {},
): Promise<TestKernel> {
  const kernel = await testKernel({ home: temporaryHome(), plugins: ['control'], ...options })
  const open = Object.entries(methods).map(([name, run]) => [name, { read: true, run } as const])
  await kernel.use(Control).serve('chat', Object.fromEntries(open))
  return kernel
}

test('several requests on one connection are answered in order and keep their ids', async () => {
  await using kernel = await serving({}, { twice: (n: unknown) => Number(n) * 2 })
  const socket = await dial(kernel.home)
  socket.write('{"id":"a","method":"twice","params":4}\n')
  expect(JSON.parse(await nextLine(socket))).toEqual({ id: 'a', command: 'chat', result: 8 })
  socket.write('{"id":2,"method":"twice","params":5}\n')
  expect(JSON.parse(await nextLine(socket))).toEqual({ id: 2, command: 'chat', result: 10 })
})

test.for([
  ['this is not JSON', 'CONTROL_PARAMS'],
  ['null', 'CONTROL_PARAMS'],
  ['{"id":1}', 'CONTROL_PARAMS'],
  ['{"id":1,"method":"toString"}', 'CONTROL_METHOD_UNKNOWN'],
  ['{"id":1,"method":"fail"}', 'NO_WAY'],
])('the request %s is answered with %s, and the connection continues', async ([request, code]) => {
  await using kernel = await serving({}, { fail: () => Promise.reject(new SvcError('NO_WAY', 'not today')) })
  const socket = await dial(kernel.home)
  socket.write(`${request}\n`)
  expect(JSON.parse(await nextLine(socket))).toMatchObject({ error: { code } })
  socket.write('{"id":2,"method":"plugins.list"}\n')
  expect(JSON.parse(await nextLine(socket))).toMatchObject({ id: 2, result: { problems: [] } })
})

test('a request over 64 KiB ends its connection and no other', async () => {
  await using kernel = await serving()
  const greedy = await dial(kernel.home)
  const ended = received(greedy)
  greedy.write('x'.repeat(70_000))
  await ended
  const other = await dial(kernel.home)
  other.write('{"id":1,"method":"plugins.list"}\n')
  expect(JSON.parse(await nextLine(other))).toMatchObject({ id: 1 })
})

test('a connection that asks nothing is closed after ten seconds', async () => {
  const clock = virtualClock()
  await using kernel = await serving({ clock }, { hello: () => 'hi' })
  const socket = await dial(kernel.home)
  socket.write('{"id":1,"method":"hello"}\n')
  await nextLine(socket)
  const ended = received(socket)
  await clock.advance(9_000)
  expect(socket.closed).toBe(false)
  await clock.advance(2_000)
  expect(await ended).toBe('')
})

test('a method that never ends is given up and said so', async () => {
  const clock = virtualClock()
  let begin = () => {}
  const begun = new Promise<void>((resolve) => {
    begin = resolve
  })
  const stuck = () => {
    begin()
    return new Promise(() => {})
  }
  await using kernel = await serving({ clock }, { stuck })
  const socket = await dial(kernel.home)
  const answer = nextLine(socket)
  socket.write('{"id":1,"method":"stuck"}\n')
  await begun
  await clock.advance(121_000)
  expect(JSON.parse(await answer)).toMatchObject({ id: 1, error: { code: 'CONTROL_TIMEOUT' } })
})

test.skipIf(process.platform === 'win32')('only the owner of the home can reach the socket', async () => {
  await using kernel = await serving()
  const run = join(kernel.home, 'run')
  const [name = ''] = sockets(kernel.home)
  expect(statSync(run).mode & 0o777).toBe(0o700)
  expect(statSync(join(run, name)).mode & 0o777).toBe(0o600)
})

test('a home that cannot hold a socket is said, and the program continues', async () => {
  const home = temporaryHome()
  await using kernel = await testKernel({ home, plugins: ['control'] })
  writeFileSync(join(home, 'run'), 'a file in the way')
  await expect(kernel.use(Control).serve('chat')).rejects.toMatchObject({
    code: 'CONTROL_UNAVAILABLE',
    message: expect.stringContaining(join(home, 'run')),
  })
  expect(kernel.problems()).toEqual([])
})
