/** Entries become servers of config.yaml: what is written, asked, kept and left alone. */
import { appendFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { openStory, type Story } from './support.ts'

const KEY = { type: 'api_key', env: [{ name: 'CLOUD_API_KEY', prompt: 'Key of the clouds' }] }
const TOOLS = ['look', 'count', 'paint']

const servers = (story: Story) => (parse(story.read('config.yaml') || '{}') as { mcp_servers?: unknown }).mcp_servers

test('svc mcp catalog lists entries with what is installed of them, and the servers of the person', async () => {
  const story = openStory({ clouds: {}, stars: { transport: { type: 'http', url: 'https://example.com/mcp' } } })
  writeFileSync(
    join(story.home, 'config.yaml'),
    'mcp_servers: { stars: { url: "https://example.com/mcp", enabled: false }, own: { command: mine } }\n',
  )
  await story.run(['install', 'clouds', '--yes'])
  const { code, out, err } = await story.run(['catalog'])
  expect(code).toBe(0)
  expect(err).not.toContain('Warning')
  expect(out).toMatch(/^clouds +enabled +About clouds\.$/m)
  expect(out).toMatch(/^stars +disabled +About stars\.$/m)
  expect(out).toMatch(/^own +enabled +A server of your own$/m)
  expect(out).toMatch(/^playwright +Drives a browser/m)
  const json = JSON.parse((await story.run(['catalog', '--json'])).out) as { entries: { name: string }[] }
  expect(json).toMatchObject({ custom: [{ name: 'own', enabled: true }], diagnostics: [] })
  expect(json.entries.find(({ name }) => name === 'clouds')).toEqual({
    name: 'clouds',
    description: 'About clouds.',
    source: null,
    transport: 'stdio',
    auth_type: 'none',
    required_env: [],
    command: 'npx',
    args: ['-y', 'clouds@1.2.3'],
    url: null,
    version: '1.2.3',
    install_url: null,
    install_ref: null,
    bootstrap: [],
    default_enabled: null,
    post_install: null,
    needs_install: false,
    installed: true,
    enabled: true,
    state: 'enabled',
  })
})

test('entries that cannot be used and those of newer releases are warned about, and the others stay', async () => {
  const story = openStory({ clouds: {}, future: { manifest_version: 2 }, broken: { transport: { type: 'stdio' } } })
  const { code, out, err } = await story.run(['catalog'])
  expect(code).toBe(0)
  expect(out).toContain('clouds')
  expect(out).not.toMatch(/^(future|broken)/m)
  expect(err).toContain('Warning: future has a manifest of version 2, which needs a newer release of svc.')
  expect(err).toContain('Warning: broken cannot be used: transport.command: is missing.')
  const { diagnostics } = JSON.parse((await story.run(['catalog', '--json'])).out) as {
    diagnostics: { kind: string }[]
  }
  expect(diagnostics.map(({ kind }) => kind)).toEqual(['invalid_manifest', 'future_manifest'])
  expect((await story.run(['install', 'future'])).err).toMatch(/needs a newer release.*MCP_CATALOG_MANIFEST/)
})

test('an install writes the server with its default tools, says what runs and what to do next', async () => {
  const story = openStory({ clouds: { tools: { default_enabled: ['look'] }, post_install: 'Look up.' } })
  const { code, out } = await story.run(['install', 'official/clouds', '--yes'])
  expect(code).toBe(0)
  expect(out).toContain('runs     npx -y clouds@1.2.3')
  expect(out).toContain('clouds is installed and enabled.\nLook up.\n')
  expect(out).toContain('svc mcp configure clouds')
  expect(servers(story)).toEqual({
    clouds: { command: 'npx', args: ['-y', 'clouds@1.2.3'], enabled: true, tools: { include: ['look'] } },
  })
  expect(story.client.asked).toEqual([])
})

test('what will run is shown and agreed to before anything is written, also where nothing is cloned', async () => {
  const story = openStory({
    clouds: { auth: KEY },
    stars: { transport: { type: 'http', url: 'https://example.com/mcp' } },
  })
  for (const name of ['clouds', 'stars']) {
    expect(await story.run(['install', name])).toMatchObject({ code: 1, err: expect.stringContaining('CLI_CONFIRM') })
    expect((await story.type(['install', name], 'n')).code).toBe(1)
  }
  expect(story.read('config.yaml') + story.read('.env')).toBe('')
  expect(await story.type(['install', 'clouds'], 'y', 'sk-0123456789')).toMatchObject({
    code: 0,
    err: expect.stringContaining('Install it? svc will run this command.'),
  })
  expect((await story.type(['install', 'stars'], 'y')).err).toContain('Install it? svc will connect to this address.')
})

test('configure twice, and an install of what is installed, change nothing the second time', async () => {
  const story = openStory({ clouds: {} })
  await story.run(['install', 'clouds', '--yes'])
  await story.run(['configure', 'clouds', '--tools', 'look,count'])
  const written = story.read('config.yaml')
  expect((await story.run(['configure', 'clouds', '--tools', 'look,count'])).out).toBe('Nothing was changed.\n')
  expect((await story.run(['install', 'clouds'])).code).toBe(0)
  expect(story.read('config.yaml')).toBe(written)
  await story.run(['configure', 'clouds', '--all-tools'])
  expect((await story.run(['configure', 'clouds', '--all-tools', '--json'])).out).toContain('"changed": false')
})

test('a key that is typed goes to .env only, and config.yaml refers to it', async () => {
  const story = openStory({ clouds: { auth: KEY } })
  const { code, out, err } = await story.type(['install', 'clouds'], 'y', 'sk-0123456789')
  expect({ code, err }).toMatchObject({ code: 0, err: expect.stringContaining('Key of the clouds (not shown): ') })
  expect(story.read('.env')).toContain('CLOUD_API_KEY=sk-0123456789')
  expect(servers(story)).toMatchObject({ clouds: { env: { CLOUD_API_KEY: '${CLOUD_API_KEY}' } } })
  expect(story.read('config.yaml') + out).not.toContain('sk-0123456789')
})

test('a key that is set is kept and not asked for; without a terminal a missing one stops before anything is written', async () => {
  const story = openStory({ clouds: { auth: KEY } })
  const refused = await story.run(['install', 'clouds', '--yes'])
  expect(refused).toMatchObject({
    code: 1,
    err: expect.stringMatching(/svc config set CLOUD_API_KEY.*MCP_CATALOG_KEY/),
  })
  expect(story.read('config.yaml')).toBe('')
  writeFileSync(join(story.home, '.env'), 'CLOUD_API_KEY=kept-0123456789\n')
  const { code, err } = await story.run(['install', 'clouds', '--yes'])
  expect({ code, err }).toMatchObject({ code: 0, err: expect.stringContaining('CLOUD_API_KEY is set in .env') })
  expect(story.read('.env')).toBe('CLOUD_API_KEY=kept-0123456789\n')
  const withEnvironment = openStory({ clouds: { auth: KEY } }, { env: { CLOUD_API_KEY: 'from-0123456789' } })
  expect(await withEnvironment.run(['install', 'clouds', '--yes'])).toMatchObject({ code: 0 })
  expect(withEnvironment.read('.env')).toBe('')
})

test('an empty answer takes the default, leaves an optional variable out, and is no key that is required', async () => {
  const env = [
    { name: 'CLOUD_REGION', secret: false, default: 'eu' },
    { name: 'CLOUD_EXTRA', required: false },
  ]
  const story = openStory({ clouds: { auth: { type: 'api_key', env } }, stars: { auth: KEY } })
  expect((await story.type(['install', 'clouds'], 'y', '', '')).code).toBe(0)
  expect(story.read('.env')).toContain('CLOUD_REGION=eu')
  expect(servers(story)).toMatchObject({ clouds: { env: { CLOUD_REGION: '${CLOUD_REGION}' } } })
  expect(story.read('config.yaml')).not.toContain('CLOUD_EXTRA')
  expect(await story.type(['install', 'stars'], 'y', '')).toMatchObject({
    code: 1,
    err: expect.stringContaining('MCP_CATALOG_KEY'),
  })
})

test('a server over HTTP gets its key as a bearer token, or the marker of OAuth and a sign-in', async () => {
  const transport = { type: 'http', url: 'https://example.com/mcp' }
  const story = openStory({
    clouds: { transport, auth: KEY },
    stars: { transport, auth: { type: 'oauth', scopes: ['read', 'write'] } },
    suns: { transport: { ...transport, headers: { 'X-Key': '${CLOUD_API_KEY}' } }, auth: KEY },
    moons: { transport, auth: { type: 'oauth', provider: 'Acme', env_var: 'ACME_TOKEN' } },
  })
  await story.type(['install', 'clouds'], 'y', 'sk-0123456789')
  await story.run(['install', 'suns', '--yes'])
  expect((await story.run(['install', 'stars', '--yes'])).out).toContain('Sign in: svc mcp login stars')
  expect((await story.type(['install', 'moons'], 'y', 'token-0123456789')).err).toContain('Token of Acme (not shown): ')
  expect(servers(story)).toEqual({
    clouds: { url: transport.url, headers: { Authorization: 'Bearer ${CLOUD_API_KEY}' }, enabled: true },
    suns: { url: transport.url, headers: { 'X-Key': '${CLOUD_API_KEY}' }, enabled: true },
    stars: { url: transport.url, auth: 'oauth', oauth: { scope: 'read write' }, enabled: true },
    moons: { url: transport.url, headers: { Authorization: 'Bearer ${ACME_TOKEN}' }, enabled: true },
  })
  const { err } = await story.type(['install', 'stars'], 'y')
  expect(err).toContain('https://example.com/sign-in')
  expect(story.client.asked).toContain('login stars')
})

test('on a terminal the server is asked for its tools: the defaults are ticked, and what is chosen is written', async () => {
  const story = openStory({ clouds: { tools: { default_enabled: ['look', 'gone'] } } })
  story.client.tools = TOOLS
  const { out } = await story.type(['install', 'clouds'], 'y', '3', '')
  expect(out).toContain('   1 [x] look  Does look.\n   2 [ ] count  Does count.\n   3 [ ] paint  Does paint.\n')
  expect(servers(story)).toMatchObject({ clouds: { tools: { include: ['look', 'paint'] } } })
  await story.type(['install', 'clouds'], 'a', '')
  expect(servers(story)).toEqual({ clouds: { command: 'npx', args: ['-y', 'clouds@1.2.3'], enabled: true } })
})

test('a server that cannot be asked keeps the default tools, and the reason is shown', async () => {
  const story = openStory({ clouds: { tools: { default_enabled: ['look'] } } })
  story.client.tools = new Error('the program npx was not found')
  const { code, err } = await story.type(['install', 'clouds'], 'y')
  expect({ code, err }).toMatchObject({ code: 0, err: expect.stringContaining('the program npx was not found') })
  expect(servers(story)).toMatchObject({ clouds: { tools: { include: ['look'] } } })
})

test('without the plugin that talks to servers an install works all the same', async () => {
  const story = openStory({ clouds: {} }, { client: 'none' })
  expect((await story.type(['install', 'clouds'], 'y')).code).toBe(0)
  expect(servers(story)).toMatchObject({ clouds: { enabled: true } })
})

test('an entry whose settings the client finds dangerous is refused, and nothing is written', async () => {
  const story = openStory({ clouds: {} })
  story.client.problems = ['It is a shell that fetches something.']
  expect(await story.run(['install', 'clouds', '--yes'])).toMatchObject({
    code: 1,
    err: expect.stringMatching(/clouds is refused: It is a shell that fetches something\..*MCP_CATALOG_MANIFEST/),
  })
  expect(story.read('config.yaml')).toBe('')
})

test('a second install keeps what the person set, and one of a later release replaces the server only after a yes', async () => {
  const story = openStory({ clouds: {} })
  await story.run(['install', 'clouds', '--yes'])
  writeFileSync(
    join(story.home, 'config.yaml'),
    story.read('config.yaml').replace('enabled: true', 'enabled: false # for now\n    timeout: 20'),
  )
  appendFileSync(join(story.home, 'config.yaml'), '# the end\n')
  await story.run(['install', 'clouds', '--yes'])
  expect(servers(story)).toMatchObject({ clouds: { enabled: true, timeout: 20 } })
  expect(story.read('config.yaml')).toContain('# the end')
  story.write('clouds', { transport: { type: 'stdio', command: 'npx', args: ['-y', 'clouds@2.0.0'] } })
  expect((await story.run(['catalog'])).out).toMatch(/^clouds +other definition/m)
  const before = story.read('config.yaml')
  expect(await story.run(['install', 'clouds'])).toMatchObject({ code: 1, err: expect.stringContaining('CLI_CONFIRM') })
  expect((await story.type(['install', 'clouds'], 'n')).code).toBe(1)
  expect(story.read('config.yaml')).toBe(before)
  expect((await story.run(['install', 'clouds', '--yes'])).code).toBe(0)
  expect(servers(story)).toEqual({ clouds: { command: 'npx', args: ['-y', 'clouds@2.0.0'], enabled: true } })
})

test('a name that the catalogue does not have is answered with the nearest one', async () => {
  const story = openStory({ clouds: {} })
  expect((await story.run(['install', 'cloud'])).err).toMatch(
    /no entry "cloud"\. Did you mean clouds\?.*MCP_CATALOG_UNKNOWN/,
  )
  expect((await story.run(['install', 'zzzzzzzzz'])).err).toContain('See `svc mcp catalog`')
})

test('configure chooses tools: the earlier choice is ticked, ranges switch, and leaving changes nothing', async () => {
  const story = openStory({ clouds: { tools: { default_enabled: ['look'] } } })
  story.client.tools = TOOLS
  await story.run(['install', 'clouds', '--yes'])
  const { out } = await story.type(['configure', 'clouds'], '2-3', '1', '')
  expect(out).toMatch(/Models can call count, paint of clouds\.\n$/)
  expect((await story.type(['configure', 'clouds'], 'n', '', 'q')).out).toMatch(
    /Choose at least one tool[\s\S]*Nothing was changed\.\n$/,
  )
  expect(servers(story)).toMatchObject({ clouds: { tools: { include: ['count', 'paint'] } } })
  const again = await story.type(['configure', 'clouds'], '9', 'look', '')
  expect(again.out).toContain('[ ] look')
  expect(again.out).toContain('There is no tool 9.')
  expect(again.out).toMatch(/Models can call all tools of clouds\.\n$/)
})

test('configure without a terminal takes the tools as words, and needs a server that is there', async () => {
  const story = openStory({ clouds: {} })
  expect((await story.run(['configure', 'clouds'])).err).toContain('MCP_CATALOG_UNKNOWN')
  await story.run(['install', 'clouds', '--yes'])
  expect(await story.run(['configure', 'clouds'])).toMatchObject({ code: 2, err: expect.stringContaining('--tools') })
  const { out } = await story.run(['configure', 'clouds', '--tools', 'look, count', '--json'])
  expect(JSON.parse(out)).toEqual({ ok: true, name: 'clouds', changed: true, include: ['look', 'count'] })
  expect((await story.run(['configure', 'clouds', '--all-tools'])).out).toBe('Models can call all tools of clouds.\n')
  expect((await story.run(['configure', 'clouds', '--tools', ' , '])).err).toContain('MCP_CATALOG_TOOLS')
})

test('configure asks for keys that are missing', async () => {
  const story = openStory({ clouds: { auth: KEY } }, { env: { CLOUD_API_KEY: 'from-0123456789' } })
  await story.run(['install', 'clouds', '--yes'])
  const later = openStory({ clouds: { auth: KEY } })
  writeFileSync(join(later.home, 'config.yaml'), story.read('config.yaml'))
  await later.type(['configure', 'clouds'], 'sk-0123456789')
  expect(later.read('.env')).toContain('CLOUD_API_KEY=sk-0123456789')
})

test('uninstall wants a yes, takes the server out, and leaves its keys', async () => {
  const story = openStory({ clouds: { auth: KEY } }, { client: 'none' })
  await story.type(['install', 'clouds'], 'y', 'sk-0123456789')
  expect((await story.run(['uninstall', 'clouds'])).err).toContain('CLI_CONFIRM')
  expect((await story.type(['uninstall', 'clouds'], 'n')).code).toBe(1)
  expect(servers(story)).toHaveProperty('clouds')
  expect((await story.type(['uninstall', 'clouds'], 'y')).out).toContain('clouds is removed.')
  expect(servers(story) ?? {}).toEqual({})
  expect(story.read('.env')).toContain('CLOUD_API_KEY')
  expect((await story.run(['uninstall', 'clouds', '--yes'])).err).toContain('MCP_CATALOG_UNKNOWN')
})

test('the picker installs, switches, configures and removes until it is left, and a mistake ends nothing', async () => {
  const story = openStory({ clouds: { tools: { default_enabled: ['look'] } }, stars: { auth: KEY } })
  story.client.tools = TOOLS
  const { code, out, err } = await story.type(
    ['picker'],
    ...['nothing', 'stars', 'y', '', 'clouds', 'y', '', 'clouds', 'd', 'clouds', 'e', 'clouds', 'c', 'a', '', 'q'],
  )
  expect(code).toBe(0)
  expect(Math.max(...out.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80)
  expect(out).toContain('There is nothing called nothing.')
  expect(err).toContain('MCP_CATALOG_KEY')
  expect(out).toMatch(/^ +\d+ clouds +enabled +About clouds\.$/m)
  expect(out).toMatch(/^ +\d+ clouds +disabled +About clouds\.$/m)
  expect(out).toContain('Models can call all tools of clouds.')
  expect(servers(story)).toEqual({ clouds: { command: 'npx', args: ['-y', 'clouds@1.2.3'], enabled: true } })
  const number = /^ +(\d+) clouds /m.exec(out)?.[1] ?? ''
  await story.type(['picker'], number, 'u', 'y')
  expect(servers(story) ?? {}).toEqual({})
})

test('the picker lists without a terminal', async () => {
  const story = openStory({ clouds: {} })
  expect(await story.run(['picker'])).toEqual(await story.run(['catalog']))
})
