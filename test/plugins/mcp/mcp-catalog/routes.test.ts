/** The catalogue as the dashboard shows and changes it. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { openDashboard } from '../../dashboard/dashboard/desk.ts'

const PLUGINS = ['mcp-catalog', 'config']

test('an entry is shown with what it runs, installed with its key, and removed', async () => {
  const { ask, kernel } = await openDashboard({ plugins: PLUGINS })
  const find = async () =>
    (await ask('GET', '/api/mcp/catalog')).json.entries.find(({ name }: { name: string }) => name === 'brave-search')
  expect(await find()).toMatchObject({
    state: 'available',
    required_env: [{ name: 'BRAVE_API_KEY', required: true, secret: true }],
    runs: expect.arrayContaining([expect.stringMatching(/runs +npx -y .*brave-search-mcp-server/)]),
  })
  const install = (body: object) => ask('POST', '/api/mcp/catalog/install', { body: { name: 'brave-search', ...body } })
  expect((await install({})).status).toBe(400)
  expect((await install({ env: { BRAVE_API_KEY: 'made-up', OTHER: 'x' } })).status).toBe(400)
  expect((await install({ env: { BRAVE_API_KEY: 'two\nlines' } })).status).toBe(400)
  expect(await find()).toMatchObject({ state: 'available' })
  expect((await install({ env: { BRAVE_API_KEY: 'made-up' } })).json).toMatchObject({ ok: true, name: 'brave-search' })
  expect(readFileSync(join(kernel.home, '.env'), 'utf8')).toContain('BRAVE_API_KEY=made-up')
  expect(readFileSync(join(kernel.home, 'config.yaml'), 'utf8')).not.toContain('made-up')
  expect(await find()).toMatchObject({ state: 'enabled', installed: true })
  expect((await ask('DELETE', '/api/mcp/catalog/brave-search')).status).toBe(200)
  expect(await find()).toMatchObject({ state: 'available' })
  expect((await ask('DELETE', '/api/mcp/catalog/brave-search')).status).toBe(409)
  expect((await ask('DELETE', '/api/mcp/catalog/nothing')).status).toBe(404)
})

test('another server of the same name is replaced only when that is said', async () => {
  const { ask, kernel } = await openDashboard({ plugins: PLUGINS })
  const file = join(kernel.home, 'config.yaml')
  writeFileSync(file, 'mcp_servers:\n  memory:\n    command: mine\n')
  const install = (replace: boolean) => ask('POST', '/api/mcp/catalog/install', { body: { name: 'memory', replace } })
  expect(await install(false)).toMatchObject({ status: 409, json: { code: 'mcp_catalog_taken' } })
  expect(parse(readFileSync(file, 'utf8')).mcp_servers.memory.command).toBe('mine')
  expect((await ask('DELETE', '/api/mcp/catalog/memory')).status).toBe(409)
  expect((await install(true)).status).toBe(200)
  expect(parse(readFileSync(file, 'utf8')).mcp_servers.memory.command).toBe('npx')
})
