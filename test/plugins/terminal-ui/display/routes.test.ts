/** Skins as clients of the dashboard see and choose them. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Display } from 'svc/sdk/terminal'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../../support/temporary.ts'
import { openDashboard } from '../../dashboard/dashboard/desk.ts'

test('skins are listed, one of the home too, and one is chosen for all that run here', async () => {
  const home = temporaryFolder()
  mkdirSync(join(home, 'skins'))
  writeFileSync(join(home, 'skins/moss.yaml'), 'description: Green\n')
  const { ask, kernel } = await openDashboard({ home, plugins: ['display', 'config'] })
  const { themes, active } = (await ask('GET', '/api/dashboard/themes')).json
  expect(active).toBe('default')
  expect(themes).toContainEqual(expect.objectContaining({ name: 'slate', is_own: false }))
  expect(themes).toContainEqual({ name: 'moss', label: 'moss', description: 'Green', is_own: true })
  expect((await ask('PUT', '/api/dashboard/theme', { body: { name: 'slate' } })).json.active).toBe('slate')
  expect(kernel.use(Display).skin().name).toBe('slate')
  expect(readFileSync(join(home, 'config.yaml'), 'utf8')).toContain('skin: slate')
})

test('a skin that does not exist, or whose name is a path, is refused, and the present one stays', async () => {
  const { ask } = await openDashboard({ plugins: ['display', 'config'] })
  for (const name of ['nothing', '../config', '/etc/passwd'])
    expect((await ask('PUT', '/api/dashboard/theme', { body: { name } })).status).toBe(404)
  expect((await ask('GET', '/api/dashboard/themes')).json.active).toBe('default')
})
