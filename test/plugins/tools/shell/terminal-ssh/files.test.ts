/** Files on another machine: a real sshd on the loopback. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ExecutionEnvironments } from 'svc/sdk/shell'
import { environmentFilesContract, testKernel } from 'svc/sdk/testing'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { isToday } from '../../../../support/today.ts'
import { lacks } from '../tool-terminal/session.ts'
import { temporaryFolder } from '../tool-terminal/support.ts'
import { SSHD, type SshServer, startSshd } from './server.ts'

const absent = SSHD === undefined || lacks('ssh', '-V')
const why = absent ? ' (skipped: no sshd or no ssh here)' : ''

describe.skipIf(absent)(`files on another machine${why}`, () => {
  let server: SshServer
  let folder: ReturnType<typeof temporaryFolder>
  beforeAll(async () => {
    folder = temporaryFolder()
    server = await startSshd(folder.path)
  })
  afterAll(async () => {
    await server.stop()
    folder[Symbol.dispose]()
  })

  async function connect(sshFolder: string) {
    const ssh = { ssh_host: '127.0.0.1', ssh_user: server.user, ssh_port: server.port, ssh_key: server.key }
    const kernel = await testKernel({
      plugins: ['tool-terminal', 'terminal-ssh'],
      config: { terminal: { backend: 'ssh', ...ssh, ssh_folder: sshFolder } },
    })
    expect(kernel.problems()).toEqual([])
    const find = () => kernel.use(ExecutionEnvironments).find({ sessionId: 's', cwd: kernel.home })
    return { kernel, find }
  }

  let shared: ReturnType<typeof connect> | undefined
  afterAll(async () => (await shared)?.kernel.stop())
  const setup = {
    async open() {
      const work = temporaryFolder()
      shared ??= connect('')
      const { files } = (await (await shared).find()) ?? {}
      if (files === undefined) throw new Error('no files')
      return { files, folder: work.path, close: async () => work[Symbol.dispose]() }
    },
  }
  // A way to the machine for each: a third of them each day.
  for (const [at, { name, run }] of environmentFilesContract(setup).entries()) test.runIf(isToday(at, 3))(name, run)

  test('begin in the folder that is set, and are named by the machine', async () => {
    using work = temporaryFolder()
    const { kernel, find } = await connect(work.path)
    expect(await find()).toMatchObject({ name: 'ssh', label: `ssh (${server.user}@127.0.0.1)`, folder: work.path })
    await kernel.stop()
  })

  test('a folder that is not there is an error that names it', async () => {
    const { kernel, find } = await connect('/no/such/folder')
    await expect(find()).rejects.toMatchObject({ message: expect.stringContaining('/no/such/folder') })
    await kernel.stop()
  })

  test('a connection that is killed in the middle of a write leaves the old file, and the next call connects again', async () => {
    using work = temporaryFolder()
    const { kernel, find } = await connect(work.path)
    const path = join(work.path, 'file')
    writeFileSync(path, 'old')
    const { files } = (await find()) ?? {}
    const writing = files?.write([{ path, bytes: Buffer.alloc(400_000_000, 'x') }])
    const lost = expect(writing).rejects.toMatchObject({ code: 'ENVIRONMENT_LOST' })
    await vi.waitFor(() => expect(readdirSync(work.path).some((name) => name.startsWith('.svc-'))).toBe(true), {
      timeout: 20_000,
      interval: 5,
    })
    server.killSessions()
    await lost
    expect(readFileSync(path, 'utf8')).toBe('old')
    const again = (await find())?.files
    await again?.write([{ path, bytes: Buffer.from('new') }])
    expect(readFileSync(path, 'utf8')).toBe('new')
    await kernel.stop()
  })
})
