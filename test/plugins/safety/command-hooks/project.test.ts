import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { shouts, startScene } from './scene.ts'

const FILE = `hooks:
  PreToolUse:
    - hooks:
        - type: command
          command: sh .svc/hooks/note.sh
`
const files = { '.svc/hooks.yaml': FILE, '.svc/hooks/note.sh': 'echo >> noted\n' }

async function project(more: Readonly<Record<string, string>> = {}) {
  const scene = await startScene({ files: { ...files, ...more }, replies: [shouts, 'ok', shouts, 'ok', shouts, 'ok'] })
  const noted = join(scene.cwd, 'noted')
  const ran = async () => {
    rmSync(noted, { force: true })
    await scene.type('go')
    return existsSync(noted)
  }
  const svc = (...args: string[]) => scene.kernel.run(['hooks', ...args], { cwd: scene.cwd })
  return { ...scene, ranHook: ran, svc }
}

test('hooks of a project run once a person agreed to their content, and not after a change of the file or of a script', async () => {
  const { ranHook, svc, write, said } = await project()
  expect(await ranHook()).toBe(false)
  expect(said.join('\n')).toContain('svc hooks trust')
  const listed = await svc('list', '--json')
  expect(JSON.parse(listed.out)).toMatchObject({ project: { state: 'untrusted' }, hooks: [{ inactive: 'untrusted' }] })
  expect((await svc('trust')).code).not.toBe(0)
  expect((await svc('trust', '--yes')).out).toContain('2 files')
  expect(await ranHook()).toBe(true)
  write('.svc/hooks/note.sh', 'echo >> noted # changed\n')
  expect(JSON.parse((await svc('list', '--json')).out)).toMatchObject({ project: { state: 'changed' } })
  expect(await ranHook()).toBe(false)
})

test('a hook that changes the file of hooks is the last that runs', async () => {
  const { ranHook, svc } = await project({
    '.svc/hooks/note.sh': `echo >> noted; echo "# more" >> .svc/hooks.yaml\n`,
  })
  await svc('trust', '--yes')
  expect(await ranHook()).toBe(true)
  expect(await ranHook()).toBe(false)
})

test('consent can be taken back', async () => {
  const { ranHook, svc } = await project()
  await svc('trust', '--yes')
  expect((await svc('distrust')).out).toContain('do not run any more')
  expect(await ranHook()).toBe(false)
})

test('a script elsewhere in the project is covered, too', async () => {
  const { ranHook, svc, write } = await project({
    '.svc/hooks.yaml': FILE.replace('sh .svc/hooks/note.sh', 'sh "$CLAUDE_PROJECT_DIR"/scripts/note.sh'),
    'scripts/note.sh': '#!/bin/sh\necho >> noted\n',
  })
  await svc('trust', '--yes')
  expect(await ranHook()).toBe(true)
  write('scripts/note.sh', '#!/bin/sh\necho >> noted; echo other\n')
  expect(await ranHook()).toBe(false)
})

test('a file that cannot be used is named with what to correct, and calls run', async () => {
  const { type, ran, said, svc } = await project({ '.svc/hooks.yaml': 'hooks:\n  PreToolUs: []\n' })
  await type('go')
  expect(ran).toHaveLength(1)
  expect(said.join('\n')).toMatch(/hooks\.yaml: [\s\S]*PreToolUs/)
  const trusted = await svc('trust', '--yes')
  expect([trusted.code, trusted.err]).toEqual([1, expect.stringContaining('PreToolUs')])
})
