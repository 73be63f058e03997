import { spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { markProcess } from 'svc/sdk/kit/process'
import { describe, expect, test, vi } from 'vitest'
import { openSession } from '../tool-terminal/session.ts'
import { temporaryFolder } from '../tool-terminal/support.ts'

describe('a session that asked for it', () => {
  test('is told of the end of a process, with what it wrote last', async () => {
    using folder = temporaryFolder()
    await using session = await openSession({ cwd: folder.path })
    const input = { command: 'read -r _; echo done; exit 4', background: true, notify_on_complete: true }
    const { data } = await session.terminal(input)
    await session.process({ action: 'submit', id: data['processId'] })
    await vi.waitFor(() => expect(session.notices).toHaveLength(1), { timeout: 8000 })
    expect(session.notices[0]).toMatchObject({ processId: data['processId'], sessionId: 's', reason: 'completed' })
    expect(session.notices[0]?.text).toMatch(/has ended, exit 4\. The end of its output:\ndone$/)
  })

  test('is told of lines that hold what it watches for', async () => {
    using folder = temporaryFolder()
    await using session = await openSession({ cwd: folder.path })
    const command = 'echo starting; echo server ready on 80; sleep 300'
    await session.terminal({ command, background: true, watch_patterns: ['ready on'] })
    await vi.waitFor(() => expect(session.notices).toHaveLength(1), { timeout: 8000 })
    expect(session.notices[0]).toMatchObject({ reason: 'matched', text: expect.stringMatching(/server ready on 80$/) })
  })
})

describe('when svc was killed', () => {
  test('the next one tells what became of its processes, and ends what is still there', async () => {
    using home = temporaryFolder()
    const alive = spawn('sleep', ['300'], { detached: true, stdio: 'ignore' })
    const gone = new Promise((resolve) => alive.once('exit', (_, signal) => resolve(signal)))
    const pid = alive.pid ?? 0
    const row = (id: string, born: string) => ({ id, sessionId: 's', command: `sleep ${id}`, pid, born, startedAt: 0 })
    const owner = { pid: 1, born: 'long ago' }
    const born = markProcess(pid)?.identity ?? ''
    const rows = [row('proc_00000000000a', born), row('proc_00000000000b', 'another')]
    writeFileSync(
      join(home.path, 'processes.json'),
      JSON.stringify({ processes: rows.map((each) => ({ ...each, owner })) }),
    )
    try {
      await using session = await openSession({ cwd: home.path, home: home.path })
      const { text } = await session.process({ action: 'list' })
      expect(text).toMatch(/proc_00000000000a running .*started by an earlier svc\): sleep/)
      expect(text).toMatch(/proc_00000000000b exited, code unknown/)
      const id = 'proc_00000000000a'
      await expect(session.process({ action: 'write', id, data: 'x' })).rejects.toMatchObject({
        code: 'PROCESS_NO_INPUT',
      })
      expect((await session.process({ action: 'kill', id })).text).toContain('killed')
      expect(await gone).toBe('SIGTERM')
    } finally {
      alive.kill('SIGKILL')
    }
  })

  test('a damaged file is reported and does not stand in the way', async () => {
    using home = temporaryFolder()
    writeFileSync(join(home.path, 'processes.json'), '{"processes": [')
    await using session = await openSession({ cwd: home.path, home: home.path })
    expect((await session.process({ action: 'list' })).text).toBe('no background processes')
  })
})

test('what runs is on disk, and nothing is when nothing runs', async () => {
  using home = temporaryFolder()
  using folder = temporaryFolder()
  await using session = await openSession({ cwd: folder.path, home: home.path })
  const { data } = await session.terminal({ command: 'sleep 300', background: true })
  const read = () => JSON.parse(readFileSync(join(home.path, 'processes.json'), 'utf8')).processes
  expect(read()).toMatchObject([{ id: data['processId'], command: 'sleep 300', owner: { pid: process.pid } }])
  await session.process({ action: 'kill', id: data['processId'] })
  await vi.waitFor(() => expect(read).toThrow(/ENOENT/))
})

test('sixty-four processes are tracked: those that ended first make room, those that run do not', async () => {
  using folder = temporaryFolder()
  await using session = await openSession({ cwd: folder.path })
  const { BackgroundProcesses } = await import('svc/sdk/shell')
  const processes = session.kernel.use(BackgroundProcesses)
  const environment = { PATH: process.env['PATH'] ?? '' }
  const start = (file: string, ...args: string[]) =>
    processes.start({
      ...{
        sessionId: 's',
        command: file,
        pty: false,
        launch: { command: [file, ...args], environment, cwd: folder.path },
      },
      end: async (pid) => void process.kill(pid, 'SIGKILL'),
    })
  const first = await start('true')
  await processes.wait(first.id, 10_000)
  for (let at = 0; at < 64; at++) await start('sleep', '300')
  expect(await processes.list('s')).toHaveLength(64)
  await expect(processes.get(first.id)).rejects.toMatchObject({ code: 'PROCESS_UNKNOWN' })
  await expect(start('sleep', '300')).rejects.toMatchObject({ code: 'PROCESS_TOO_MANY' })
})

test('a program that does not exist is an error and leaves no entry', async () => {
  using folder = temporaryFolder()
  await using session = await openSession({ cwd: folder.path })
  const { BackgroundProcesses } = await import('svc/sdk/shell')
  const processes = session.kernel.use(BackgroundProcesses)
  const launch = { command: ['/no/such/program'], environment: {}, cwd: folder.path }
  const request = { sessionId: 's', command: 'x', pty: false, launch, end: async () => undefined }
  await expect(processes.start(request)).rejects.toMatchObject({ code: 'PROCESS_START' })
  expect(await processes.list('s')).toEqual([])
})
