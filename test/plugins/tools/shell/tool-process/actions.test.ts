import type { ToolActions } from 'svc/sdk'
import { fakeToolTurn, testKernel } from 'svc/sdk/testing'
import { describe, expect, test, vi } from 'vitest'
import { openSession, type ToolSession } from '../tool-terminal/session.ts'
import { temporaryFolder } from '../tool-terminal/support.ts'

/** Starts a command and returns the id. */
async function start(session: ToolSession, command: string, more: object = {}): Promise<unknown> {
  return (await session.terminal({ command, background: true, ...more })).data['processId']
}

async function untilHeard(session: ToolSession, id: unknown, text: string): Promise<void> {
  const look = async () => expect((await session.process({ action: 'poll', id })).data['output']).toContain(text)
  await vi.waitFor(look, { timeout: 8000 })
}

describe('the tool process', () => {
  test('takes little room in a request', async () => {
    using folder = temporaryFolder()
    await using session = await openSession({ cwd: folder.path })
    const { Tools } = await import('svc/sdk')
    const tool = session.kernel.all(Tools).get('process')
    const parameters = tool?.input['~standard'].jsonSchema?.input({ target: 'draft-2020-12' })
    expect(JSON.stringify({ name: tool?.name, description: tool?.description, parameters }).length).toBeLessThan(850)
  })

  test('types into a process, line by line, and ends its input', async () => {
    using folder = temporaryFolder()
    await using session = await openSession({ cwd: folder.path })
    const id = await start(session, 'while read -r line; do echo "got $line"; done; echo over')
    await session.process({ action: 'write', id, data: 'a ' })
    await session.process({ action: 'submit', id, data: 'b' })
    await untilHeard(session, id, 'got a b')
    await session.process({ action: 'close', id })
    const ended = await session.process({ action: 'wait', id })
    expect(ended.data).toMatchObject({ status: 'exited', exitCode: 0, output: 'got a b\nover\n' })
    await expect(session.process({ action: 'submit', id, data: 'x' })).rejects.toMatchObject({
      code: 'PROCESS_NO_INPUT',
    })
  })

  test('types into a terminal, where Ctrl-D ends the input', async () => {
    using folder = temporaryFolder()
    await using session = await openSession({ cwd: folder.path })
    const id = await start(session, 'read -r name; echo "hello $name"; cat; echo over', { pty: true })
    await session.process({ action: 'submit', id, data: 'you' })
    await untilHeard(session, id, 'hello you')
    await session.process({ action: 'close', id })
    expect((await session.process({ action: 'wait', id })).data['output']).toMatch(/over\n$/)
  })

  test('shows the lines that are asked for', async () => {
    using folder = temporaryFolder()
    await using session = await openSession({ cwd: folder.path })
    const id = await start(session, 'seq 1000')
    await session.process({ action: 'wait', id })
    expect((await session.process({ action: 'log', id, limit: 2 })).data['output']).toBe('999\n1000')
    expect((await session.process({ action: 'log', id, offset: 9, limit: 2 })).data['output']).toBe('10\n11')
    expect((await session.process({ action: 'log', id, offset: 5000 })).data['output']).toBe('')
  })

  test('keeps the end of an endless output, and no more', async () => {
    using folder = temporaryFolder()
    await using session = await openSession({ cwd: folder.path })
    const id = await start(session, 'head -c 20000000 /dev/zero | tr "\\0" x; echo; echo end')
    await session.process({ action: 'wait', id })
    const { text, data } = await session.process({ action: 'log', id, limit: 1 })
    expect(data['output']).toBe('end')
    expect(text).toContain('after 19,800,005 characters that are not kept')
  })

  test('waits no longer than it is told, and is woken by the user', async () => {
    using folder = temporaryFolder()
    await using session = await openSession({ cwd: folder.path })
    const id = await start(session, 'sleep 300')
    expect((await session.process({ action: 'wait', id, timeout: 0.05 })).text).toContain('still running after 0.05 s')
    expect((await session.process({ action: 'wait', id }, { signal: AbortSignal.abort() })).text).toContain(
      'interrupted',
    )
  })

  test('kills a process with all it has started, however far that went', async () => {
    using folder = temporaryFolder()
    await using session = await openSession({ cwd: folder.path })
    const id = await start(session, 'trap "" TERM; setsid sleep 300 & (sleep 300 &) ; echo up; sleep 300')
    await untilHeard(session, id, 'up')
    const { text, data } = await session.process({ action: 'kill', id })
    expect(text).toContain('killed')
    expect(data['status']).toBe('exited')
    expect(session.started()).toEqual([])
    expect((await session.process({ action: 'kill', id })).text).toContain('had ended already')
  })

  test('knows nothing of the processes of other sessions', async () => {
    using folder = temporaryFolder()
    await using session = await openSession({ cwd: folder.path })
    const id = await start(session, 'sleep 300')
    const other = { sessionId: 'other' }
    expect((await session.process({ action: 'list' }, other)).text).toBe('no background processes')
    await expect(session.process({ action: 'kill', id }, other)).rejects.toMatchObject({ code: 'PROCESS_UNKNOWN' })
    await expect(session.process({ action: 'poll' })).rejects.toMatchObject({ code: 'PROCESS_INPUT' })
  })

  test('describes output that is no text by escaping it', async () => {
    using folder = temporaryFolder()
    await using session = await openSession({ cwd: folder.path })
    const id = await start(session, 'printf "a\\001\\033[31mb\\033[0m\\r\\nlong\\rend\\n"')
    expect((await session.process({ action: 'wait', id })).data['output']).toBe('a\\x01b\nend\n')
  })
})

test('what is typed is put to the gates as the line that it makes, and not typed when they say no', async () => {
  using folder = temporaryFolder()
  const asked: unknown[] = []
  await using kernel = await testKernel({
    plugins: ['tool-terminal', 'tool-process'],
  })
  const { Tools } = await import('svc/sdk')
  const permit = async ({ command = '' }: ToolActions) => {
    asked.push(command)
    return command.includes('rm -rf') ? { allow: false, reason: 'no' } : { allow: true }
  }
  const turn = fakeToolTurn({ cwd: folder.path, permit })
  const call = async (name: string, input: object) =>
    (await kernel.all(Tools).get(name)?.run(input, turn)) as { data: { processId: string; output: string } }
  const { data } = await call('terminal', { command: 'cat', background: true })
  const id = data.processId
  await call('process', { action: 'write', id, data: 'rm ' })
  await expect(call('process', { action: 'write', id, data: '-rf x\n' })).rejects.toMatchObject({
    code: 'PROCESS_DENIED',
  })
  await call('process', { action: 'submit', id, data: 'y' })
  await call('process', { action: 'close', id })
  expect((await call('process', { action: 'wait', id })).data.output).toBe('rm y\n')
  expect(asked).toEqual(['rm ', 'rm -rf x\n', 'rm y\n'])
})
