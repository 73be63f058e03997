/** The folder of a session's shell: stored with the session, and announced when it is another one. */
import { Sessions } from 'svc/sdk'
import type { WorkingFolderChange } from 'svc/sdk/sessions'
import { testKernel } from 'svc/sdk/testing'
import { expect, onTestFinished, test } from 'vitest'
import { sessionFolders } from '../../../../../plugins/tools/shell/tool-terminal/folders.ts'

test('another folder is announced after it is stored; the same one, and one of no session, is not', async () => {
  const kernel = await testKernel({ plugins: ['sessions'] })
  onTestFinished(() => kernel.stop())
  const sessions = kernel.use(Sessions)
  const { id } = sessions.create({ surface: 'cli', cwd: '/work' })
  const heard: WorkingFolderChange[] = []
  const folders = sessionFolders(
    () => sessions,
    (change) => {
      expect(folders.get(change.sessionId)).toBe(change.cwd)
      heard.push(change)
    },
  )
  for (const folder of ['/work', '/work/src', '/work/src', '/usr']) folders.set(id, folder)
  folders.set('unknown', '/tmp')
  expect(heard).toEqual([
    { sessionId: id, cwd: '/work/src', previous: '/work' },
    { sessionId: id, cwd: '/usr', previous: '/work/src' },
  ])
})
