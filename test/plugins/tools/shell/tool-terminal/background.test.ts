import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { Tools } from 'svc/sdk'
import { fakeToolTurn, testKernel } from 'svc/sdk/testing'
import { describe, expect, test, vi } from 'vitest'
import { openSession } from './session.ts'
import { patientClock, temporaryFolder } from './support.ts'

describe('a command in the background', () => {
  test('begins where the shell is, and continues while others run', async () => {
    using folder = temporaryFolder()
    await using session = await openSession({ cwd: folder.path })
    await session.terminal({ command: 'mkdir deep; cd deep; mkfifo gate' })
    const { text, data } = await session.terminal({
      command: 'pwd; read -r word < gate; echo "$word"',
      background: true,
    })
    expect(text).toMatch(/^proc_[0-9a-f]{12} runs in the background \(pid \d+\)$/)
    await session.terminal({ command: 'echo opened > gate' })
    const ended = await session.process({ action: 'wait', id: data['processId'] })
    expect(ended.text).toMatch(/exited, code 0 .*\n/)
    expect(ended.data['output']).toBe(`${folder.path}/deep\nopened\n`)
  })

  test('works in a folder that is named, and writes both its outputs in order', async () => {
    using folder = temporaryFolder()
    mkdirSync(join(folder.path, 'sub'))
    await using session = await openSession({ cwd: folder.path })
    const command = 'pwd; echo one; echo two >&2; echo three'
    const { data } = await session.terminal({ command, background: true, workdir: 'sub' })
    const ended = await session.process({ action: 'wait', id: data['processId'] })
    expect(ended.data['output']).toBe(`${folder.path}/sub\none\ntwo\nthree\n`)
    await expect(session.terminal({ command, background: true, workdir: 'none' })).rejects.toMatchObject({
      code: 'TERMINAL_NO_FOLDER',
    })
  })

  test('that ends at once is not said to run', async () => {
    using folder = temporaryFolder()
    // How long the first look takes is not measured here: on a busy machine even this command takes longer.
    await using session = await openSession({ cwd: folder.path, clock: patientClock })
    const result = await session.terminal({ command: 'echo wrong; exit 3', background: true })
    expect(result).toMatchObject({ failed: true, data: { status: 'exited', exitCode: 3 } })
    expect(result.text).toMatch(/^wrong\n\[proc_\w+ has ended already, exit 3\]$/)
  })

  test('may take longer than any other, but not tell of its end and of its output', async () => {
    using folder = temporaryFolder()
    await using session = await openSession({ cwd: folder.path, clock: patientClock })
    const both = { command: 'true', background: true, notify_on_complete: true, watch_patterns: ['x'] }
    await expect(session.terminal(both)).rejects.toMatchObject({ code: 'TERMINAL_BAD_OPTIONS' })
    const front = { command: 'true', notify_on_complete: true }
    await expect(session.terminal(front)).rejects.toMatchObject({ code: 'TERMINAL_BAD_OPTIONS' })
    await expect(session.terminal({ command: 'true', timeout: 601 })).rejects.toMatchObject({
      ...{ code: 'TERMINAL_TOO_LONG', message: expect.stringContaining('background: true') },
    })
    expect((await session.terminal({ command: 'true', timeout: 601, background: true })).data['exitCode']).toBe(0)
  })

  test('needs the plugin that looks after it', async () => {
    using folder = temporaryFolder()
    await using kernel = await testKernel({
      plugins: ['tool-terminal'],
      config: { plugins: { disabled: ['tool-process'] } },
    })
    const tool = kernel.all(Tools).get('terminal')
    const turn = fakeToolTurn({ cwd: folder.path })
    await expect(tool?.run({ command: 'true', background: true }, turn)).rejects.toMatchObject({
      code: 'TERMINAL_NO_PROCESSES',
    })
  })
})

describe('a command with a terminal', () => {
  test('begins where the shell is and leaves it there', async () => {
    using folder = temporaryFolder()
    await using session = await openSession({ cwd: folder.path })
    await session.terminal({ command: 'cd /usr; x=kept' })
    const { text, data } = await session.terminal({ command: 'pwd; cd /', pty: true })
    expect({ text, cwd: data['cwd'] }).toEqual({ text: '/usr', cwd: '/usr' })
    expect((await session.terminal({ command: 'pwd; echo $x' })).text).toBe('/usr\nkept')
  })

  test('sees one, and its output is read as a person would', async () => {
    using folder = temporaryFolder()
    await using session = await openSession({ cwd: folder.path })
    const command = 'test -t 0 && test -t 1 && printf "\\033[1mbold\\033[0m %s\\n" "$COLUMNS$(tput cols)"; exit 3'
    const result = await session.terminal({ command, pty: true })
    expect(result).toMatchObject({ text: 'bold 120\n[exit 3]', failed: true, data: { exitCode: 3 } })
  })

  test('that waits for input is ended after its time with 124, and by the user with 130', async () => {
    using folder = temporaryFolder()
    await using session = await openSession({ cwd: folder.path })
    const waiting = { command: 'echo name?; read -r name', pty: true }
    const result = await session.terminal({ ...waiting, timeout: 0.5 })
    expect(result).toMatchObject({ failed: true, data: { exitCode: 124, output: 'name?\n' } })
    expect(result.text).toMatch(/\[exit 124: took longer than 0.5 s and was killed with all it had started\]$/)
    const stop = new AbortController()
    const stopped = session.terminal(waiting, { signal: stop.signal })
    await vi.waitFor(() => expect(session.started().length).toBeGreaterThan(0))
    stop.abort()
    expect((await stopped).data).toMatchObject({ exitCode: 130 })
    expect((await session.process({ action: 'list' })).text).toBe('no background processes')
  })
})
