/** Snapshots of files in another execution environment: the backend of a small plugin that has only commands. */
import { existsSync, lstatSync, mkdirSync, readFileSync, readlinkSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { InlinePlugin } from 'svc'
import type { Message } from 'svc/sdk'
import { fakeProvider, fakeTalk, testKernel } from 'svc/sdk/testing'
import { expect, onTestFinished, test } from 'vitest'
import otherFolder from '../../../support/plugins/other-folder/index.ts'
import manifest from '../../../support/plugins/other-folder/plugin.json' with { type: 'json' }
import { writeFiles } from '../../../support/temporary.ts'
import { projectFolder } from './support.ts'

async function start(checkpoints: object = {}) {
  const fake = fakeProvider(({ messages }) => {
    const last = messages.at(-1) as Message
    if (last.role !== 'user' || !last.text.startsWith('do ')) return 'All right.'
    const [name = '', input = '{}'] = last.text.slice(3).split(/ (?=\{)/)
    return { calls: [{ name, input: JSON.parse(input) }] }
  })
  const kernel = await testKernel({
    plugins: [
      ...['agent', 'checkpoints', 'conversation', 'session-commands', 'language', 'approvals', 'command-risk'],
      ...['tool-files', 'tool-patch', 'tool-terminal'],
    ],
    with: [fake.plugin, { ...manifest, ...otherFolder } as InlinePlugin],
    config: {
      model: { provider: 'fake', default: 'fake-1' },
      ...{ checkpoints, terminal: { backend: 'other-folder' } },
    },
    env: { PATH: process.env['PATH'] },
  })
  onTestFinished(() => kernel.stop())
  expect(kernel.problems()).toEqual([])
  const here = projectFolder()
  const there = join(kernel.home, 'data/other-folder/project')
  mkdirSync(there, { recursive: true })
  const talk = fakeTalk(kernel, { cwd: here, person: { confirm: true, approve: 'once' } })
  const run = (command: string) => talk.type(`do terminal ${JSON.stringify({ command })}`)
  const write = (path: string, content: string) => talk.type(`do write_file ${JSON.stringify({ path, content })}`)
  const notices = () => talk.events.flatMap((event) => (event.type === 'notice' ? [event.text] : []))
  const get = (name: string) => readFileSync(join(there, name), 'utf8')
  return { kernel, talk, here, there, run, write, get, notices }
}

test('what tools and commands changed there is put back there, and the rollback is undone', {
  timeout: 120_000,
}, async () => {
  const { talk, here, there, run, write, get, notices } = await start()
  writeFiles(here, { 'a.txt': 'of this machine' })
  writeFiles(there, { 'a.txt': 'one\n', 'src/b.txt': 'b\n', '.gitignore': 'out/\n', 'out/x': 'built' })
  writeFileSync(join(there, 'run.sh'), 'echo hi\n', { mode: 0o755 })
  symlinkSync('a.txt', join(there, 'link'))
  await write('a.txt', 'two\n')
  await run('rm src/b.txt link; echo new > new.txt; echo again > out/x; chmod -x run.sh')
  expect(notices()).toEqual([])
  const list = await talk.type('/rollback')
  expect(list).toMatch(/1\..*before terminal.*\n.*2\..*before write_file/)
  expect(await talk.type('/rollback diff 2')).toMatch(/-one\n\+two/)
  const done = await talk.type('/rollback 2')
  expect(done).toContain('Restored')
  expect([get('a.txt'), get('src/b.txt'), get('out/x')]).toEqual(['one\n', 'b\n', 'again\n'])
  expect(readlinkSync(join(there, 'link'))).toBe('a.txt')
  expect(existsSync(join(there, 'new.txt'))).toBe(false)
  expect(lstatSync(join(there, 'run.sh')).mode & 0o777).toBe(0o755)
  expect(readFileSync(join(here, 'a.txt'), 'utf8')).toBe('of this machine')
  await talk.type('/rollback undo')
  expect([get('a.txt'), get('new.txt')]).toEqual(['two\n', 'new\n'])
  expect(existsSync(join(there, 'src/b.txt'))).toBe(false)
  await talk.type('/rollback 3 src/b.txt')
  expect(get('src/b.txt')).toBe('b\n')
  expect(get('a.txt')).toBe('two\n')
})

test('a command that only reads costs no look, and files that are too much are said once', {
  timeout: 120_000,
}, async () => {
  const { talk, there, run, write, notices } = await start({ max_total_mb: 0.001 })
  writeFiles(there, { 'large.txt': 'x'.repeat(5000) })
  await run('ls')
  expect(notices()).toEqual([])
  await write('a.txt', 'one')
  await write('b.txt', 'one')
  expect(notices()).toEqual([expect.stringContaining('max_total_mb')])
  expect(await talk.type('/rollback')).toContain('There are no snapshots')
})
