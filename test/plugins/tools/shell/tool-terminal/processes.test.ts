import { expect, test, vi } from 'vitest'
import { members } from '../../../../../plugins/tools/shell/tool-terminal/processes.ts'
import { openShell, temporaryFolder } from './support.ts'

test('the members of a shell are what it started, also in other sessions, and nothing else', async () => {
  using folder = temporaryFolder()
  await using terminal = await openShell(folder.path)
  await using other = await openShell(folder.path)
  const family = { pid: terminal.shell.pid, mark: terminal.mark }
  expect(await members(family)).toEqual([])
  await other.run('sleep 300 &')
  const output = await terminal.text('sleep 300 & echo $!; setsid sleep 300 & echo $!; env -i sleep 300 & echo $!')
  const started = output.trim().split('\n').map(Number)
  await vi.waitFor(async () => expect(await members(family)).toEqual(expect.arrayContaining(started)))
  expect(await members(family)).toHaveLength(3)
})

test('a process that has ended but was not waited for is not counted', async () => {
  using folder = temporaryFolder()
  await using terminal = await openShell(folder.path)
  await terminal.run('bash -c "sleep 0.01 & exec sleep 300" &')
  await vi.waitFor(async () => expect(await members({ pid: terminal.shell.pid, mark: terminal.mark })).toHaveLength(1))
})

test.each([undefined, 0, 1])(
  'a shell that never started has no members, whatever stands for its process: %s',
  async (pid) => {
    expect(await members({ pid, mark: 'nothing has this mark' })).toEqual([])
  },
)
