/** `svc checkpoints`. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { SlashCommands } from 'svc/sdk'
import { expect, test } from 'vitest'
import { writeFiles } from '../../../support/temporary.ts'
import { start } from './scene.ts'

test('the same from the shell', async () => {
  const { kernel, talk, dir, put } = await start()
  writeFiles(dir, { 'a.txt': 'mine\n', 'name\nwith\u001b[31m': 'x' })
  await talk.type(`do ${put('a.txt', 'agent\n')}`)
  const run = (...argv: string[]) => kernel.run(['checkpoints', ...argv], { cwd: dir })
  const listed = await run()
  expect(listed.out).toMatch(/ 1 {2}[0-9a-f]{8} +\d+ s {2}1 file \+1 -1 {2}before put\n$/)
  expect(listed.err).toMatch(/^1 snapshot of 1 project, [\d.]+ MB in all.\n$/)
  expect(JSON.parse((await run('list', '--json', '--cwd', dir)).out)).toMatchObject({
    root: dir,
    checkpoints: [{ number: 1 }],
  })
  expect((await run('diff', '1')).out).toContain('-mine\n+agent\n')
  expect(await run('restore', '1')).toMatchObject({ code: 1, err: expect.stringContaining('--yes') })
  expect(await run('restore', '7', '--yes')).toMatchObject({
    code: 1,
    err: expect.stringContaining('There is only 1.'),
  })
  expect(
    await kernel.run(['checkpoints', 'restore', '1', 'a.txt'], { cwd: dir, interactive: true, answers: ['y'] }),
  ).toMatchObject({
    code: 0,
    out: 'put back  a.txt\n',
  })
  expect(readFileSync(join(dir, 'a.txt'), 'utf8')).toBe('mine\n')
  expect((await run('prune')).out).toMatch(/^0 snapshots removed, 2 kept/)
  expect(await run('clear')).toMatchObject({ code: 1 })
  expect((await run('clear', '--yes')).out).toBe('All snapshots are removed.\n')
  expect((await run()).out).toBe(`No snapshots of ${dir}.\n`)
  expect(kernel.all(SlashCommands).get('rollback')).toBeDefined()
})
