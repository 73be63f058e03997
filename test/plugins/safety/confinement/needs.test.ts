import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { createServer as createTcpServer } from 'node:net'
import { join } from 'node:path'
import { type Tool, type ToolActions, Tools } from 'svc/sdk'
import { CommandKnowledge, ProcessSandbox } from 'svc/sdk/shell'
import { testKernel } from 'svc/sdk/testing'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { HostProxy } from '../../../../plugins/safety/confinement/host-proxy.ts'
import { temporaryFolder } from '../../tools/shell/tool-terminal/support.ts'
import { CANARY, cannotConfine, openWorld, skipped } from './support.ts'

const readActs = async (tool: Tool, input: object, cwd: string) =>
  (await tool.acts?.(input, { cwd, sessionId: 's' })) as ToolActions

describe('a need', () => {
  async function read(needs: readonly string[], cwd = '/srv/app') {
    using folder = temporaryFolder()
    await using kernel = await testKernel({ plugins: ['confinement'], home: folder.path })
    return kernel.use(ProcessSandbox).readNeeds(needs, cwd.replace('HOME', folder.path))
  }

  test('is read in one spelling, and says what it permits', async () => {
    expect(
      await read(['network:Registry.NPMjs.org.', 'port:3000', 'read:./b/../c', 'network:registry.npmjs.org']),
    ).toEqual([
      { need: 'network:registry.npmjs.org', permits: 'reach registry.npmjs.org' },
      { need: 'port:3000', permits: 'serve this machine on port 3000' },
      { need: 'read:/srv/app/c', permits: 'read /srv/app/c' },
    ])
  })

  test.for([
    ...[
      'everything',
      'network:',
      'network:localhost',
      'network:127.0.0.1',
      'network:169.254.169.254',
      'network:*',
      'network:com',
    ],
    ...[
      'network:a b',
      'network:[::1]',
      'port:80',
      'port:x',
      'port:99999',
      'socket:/run/x',
      'socket:',
      'read:',
      'write:/',
    ],
    ...[
      'write:~',
      'read:~/.ssh',
      'read:~/.ssh/id_rsa',
      'write:/etc/shadow',
      'read:/proc/1/environ',
      'write:/home',
      '',
      ':',
    ],
  ])('"%s" is never granted', async (need) => {
    await expect(read([need])).rejects.toMatchObject({ code: 'CONFINEMENT_NEED' })
  })

  test('never opens the home of svc, however it is spelt', async () => {
    for (const path of ['', 'data', 'config.yaml', 'x/../.env', '../', 'profiles/p/.env'])
      await expect(read([`write:./${path}`, `read:./${path}`], 'HOME')).rejects.toMatchObject({
        code: 'CONFINEMENT_NEED',
      })
  })
})

describe.skipIf(cannotConfine)(`what a command needs${skipped}`, () => {
  test('is asked about before it runs, and only then granted', async () => {
    await using world = await openWorld()
    const tool = world.session.kernel.all(Tools).get('terminal') as Tool
    const plain = await readActs(tool, { command: 'ls' }, world.project)
    expect(plain).toEqual({ command: 'ls', confined: { writable: [world.project, '/tmp'], needs: [] } })
    const needy = { command: 'cat ../beside/file', needs: [`read:${world.beside}`] }
    expect((await readActs(tool, needy, world.project)).ask).toEqual({
      ...{ reason: `needs to read ${world.beside}`, action: needy.command, subjects: [`need:read:${world.beside}`] },
      ...{
        choices: ['once', 'session', 'project', 'deny'],
        covers: `commands of this project may read ${world.beside}`,
      },
    })
    // An input that no gate has seen gets nothing.
    expect((await world.session.terminal({ ...needy })).text).toContain('No such file')
    expect((await world.session.terminal(needy)).text).toContain('theirs')
  })

  test('is also what is known of its programs', async () => {
    using folder = temporaryFolder()
    const knowledge = {
      name: 'knowledge',
      provides: ['command-knowledge'],
      setup: (ctx: { provide: (token: typeof CommandKnowledge, make: () => CommandKnowledge) => void }) =>
        ctx.provide(CommandKnowledge, () => ({
          read: async (command) => ({
            understood: true,
            unknown: [],
            needs: command === 'npm ci' ? ['network:registry.npmjs.org'] : [],
          }),
        })),
    }
    await using kernel = await testKernel({
      ...{ plugins: ['tool-terminal', 'confinement', 'knowledge'], env: { PATH: process.env['PATH'] ?? '' } },
      with: [knowledge as never],
    })
    const tool = kernel.all(Tools).get('terminal') as Tool
    expect((await readActs(tool, { command: 'npm ci' }, folder.path)).ask).toMatchObject({
      ...{ reason: 'needs to reach registry.npmjs.org', subjects: ['need:network:registry.npmjs.org'] },
    })
    expect((await readActs(tool, { command: 'npm test' }, folder.path)).ask).toBeUndefined()
  })

  test('runs in its own shell, which has folder and exported variables of the first one', async () => {
    await using world = await openWorld()
    await world.run('cd src; export SENT="a \'b\'\nc"; kept=1')
    const needs = [`write:${world.beside}`]
    const first = await world.run('pwd; echo "$SENT"; echo x > ../../beside/file', { needs })
    expect(first.text).toMatch(/^\[a shell of its own for write:.*\]\n.*\/src\na 'b'\nc$/)
    expect(readFileSync(join(world.beside, 'file'), 'utf8')).toBe('x\n')
    const { text } = await world.run('pwd; echo $kept; echo y > ../../beside/file')
    expect(text).toMatch(/\/src\n1$/)
    expect(readFileSync(join(world.beside, 'file'), 'utf8')).toBe('x\n')
  })

  test('a repository that was made with a grant is guarded in the next command', async () => {
    await using world = await openWorld()
    const cwd = join(world.home, 'fresh')
    mkdirSync(cwd)
    const place = { cwd, sessionId: 'fresh' }
    const refused = await world.session.terminal({ command: 'export KEPT=1; git init -q .' }, place)
    expect(refused.data['lacked']).toEqual([`write:${cwd}/.git`])
    const tool = world.session.kernel.all(Tools).get('terminal') as Tool
    const granted = { command: 'git init -q .', needs: [`write:${cwd}/.git`] }
    await tool.acts?.(granted, place)
    expect((await world.session.terminal(granted, place)).data).toMatchObject({ exitCode: 0 })
    const { text } = await world.session.terminal(
      { command: 'git commit -q --allow-empty -m one && echo "done $KEPT"; echo x > .git/hooks/pre-commit' },
      place,
    )
    expect(text).toMatch(/new shell.*\n(.*\n)*done 1\n.*pre-commit: Read-only file system/)
  })

  test('a folder that was granted does not show the secrets in it', async () => {
    await using world = await openWorld()
    mkdirSync(join(world.beside, '.aws'))
    const config = join(world.home, '.config')
    writeFileSync(join(config, 'other'), 'seen')
    const { text } = await world.run(`cat ${config}/other ${config}/gh/hosts.yml; ls -A ${config}/gh`, {
      needs: [`read:${config}`],
    })
    expect(text).toContain('seen')
    expect(text).not.toContain(CANARY)
  })

  test.for([
    [
      'echo x > ../beside/new || echo x > /usr/x',
      (world: { beside: string }) => ['write:/usr', `read:${world.beside}`],
    ],
    ['cat ../beside/file; cat $BESIDE/file', (world: { beside: string }) => [`read:${world.beside}/file`]],
    ['git remote add origin https://x/y.git', (world: { project: string }) => [`write:${world.project}/.git/config`]],
    ['echo x > .vscode/tasks.json', (world: { project: string }) => [`write:${world.project}/.vscode`]],
    ['curl -sS https://registry.npmjs.org/x', () => ['network:registry.npmjs.org']],
    ["node -e \"require('dns').lookup('example.org', (e) => { throw e })\"", () => ['network:example.org']],
    ['python3 -c "import urllib.request as u; u.urlopen(\'https://pypi.org/x\')"', () => ['network']],
    ['cat ~/.ssh/id_ed25519 $SVC/.env', () => undefined],
    ['false', () => undefined],
  ] as const)('"%s" says what it lacked', async ([command, expected]) => {
    await using world = await openWorld()
    await world.run(`export BESIDE=${world.beside} SVC=${world.svcHome}`)
    const { text, data } = await world.run(command)
    const needs = expected(world)
    const lacked = data['lacked'] as string[] | undefined
    if (needs === undefined) expect(lacked).toBeUndefined()
    else expect(needs).toEqual(expect.arrayContaining([...(lacked ?? ['nothing'])]))
    if (lacked)
      expect(text).toContain(
        `[confined: it lacked ${lacked.join(', ')}; to run it with that: needs ${JSON.stringify(lacked)}, a person is asked]`,
      )
  })

  test('a port is served to this machine, and to it only', async () => {
    await using world = await openWorld()
    const port = await freePort()
    const serve = `node -e "require('http').createServer((q,r)=>r.end('from inside')).listen(${port})"`
    await world.run(serve, { background: true, needs: [`port:${port}`] })
    const get = async () => (await fetch(`http://127.0.0.1:${port}/`, { signal: AbortSignal.timeout(1000) })).text()
    await vi.waitFor(async () => expect(await get()).toBe('from inside'), { timeout: 10_000 })
    const { text } = await world.run(`curl -sS --max-time 2 http://127.0.0.1:${port}/`)
    expect(text).not.toContain('from inside')
  })

  test('with a host, programs find the proxy, which refuses all others', async () => {
    await using world = await openWorld()
    const { text, data } = await world.run(
      'curl -sS https://evil.example.net/ || curl -sS http://evil.example.net/; curl -sS --noproxy "*" --max-time 2 http://1.1.1.1/',
      {
        needs: ['network:registry.example.org'],
      },
    )
    expect(text).toContain('svc: not granted: network:evil.example.net')
    expect(data['lacked']).toContain('network:evil.example.net')
  })
})

describe('the proxy', () => {
  async function open(options: Partial<ConstructorParameters<typeof HostProxy>[0]> = {}) {
    const seen: string[] = []
    const target = createServer((request, reply) => {
      seen.push(`${request.method} ${request.headers.host} ${request.url}`)
      reply.end('hello')
    })
    await new Promise<void>((done) => target.listen(0, '127.0.0.1', done))
    const { port } = target.address() as { port: number }
    const proxy = new HostProxy({ hosts: ['registry.test'], addresses: async () => ['127.0.0.1'], ...options })
    const at = await proxy.listen(0)
    onTestFinished(async () => {
      await proxy.close()
      target.close()
    })
    const ask = async (url: string, method = 'GET') => {
      const { request } = await import('node:http')
      return new Promise<string>((resolve, reject) => {
        const call = request({ port: at, host: '127.0.0.1', path: url, method }, (reply) => {
          const chunks: Buffer[] = []
          reply.on('data', (chunk) => chunks.push(chunk)).on('end', () => resolve(Buffer.concat(chunks).toString()))
        })
        call.on('connect', (reply, socket, head) => {
          socket.destroy()
          resolve(reply.statusCode === 200 ? 'connected' : `${reply.statusMessage}${head}`)
        })
        call.on('error', reject)
        call.end()
      })
    }
    return { ask, port, seen }
  }
  const anywhere = { permits: () => true }

  test('goes to a granted host and those below it', async () => {
    const { ask, port, seen } = await open(anywhere)
    expect(await ask(`http://registry.test:${port}/a?b`)).toBe('hello')
    expect(await ask(`http://cdn.REGISTRY.test.:${port}/`)).toBe('hello')
    expect(await ask(`registry.test:${port}`, 'CONNECT')).toBe('connected')
    expect(seen[0]).toBe(`GET registry.test:${port} /a?b`)
  })

  test.for([
    'evil.test',
    'notregistry.test',
    'registry.test.evil',
    '127.0.0.1',
    'localhost',
    '[::1]',
    'registry.test@evil.test',
  ])('goes to no other: %s', async (host) => {
    const { ask, port, seen } = await open(anywhere)
    expect(await ask(`http://${host}:${port}/`)).toContain('svc: ')
    expect(await ask(`${host}:${port}`, 'CONNECT')).toContain('svc: ')
    expect(seen).toEqual([])
  })

  test.for([
    ...['127.0.0.1', '10.1.2.3', '192.168.0.1', '172.20.0.1', '169.254.169.254', '100.100.1.1', '0.0.0.0', '::1', '::'],
    ...['fe80::1', 'fd00::1', '::ffff:127.0.0.1', '64:ff9b::7f00:1', '2002:7f00:1::', '2001:0:1::', '224.0.0.1'],
  ])('refuses a granted name whose address is %s', async (address) => {
    const { ask } = await open({ addresses: async () => [address] })
    expect(await ask('http://registry.test/')).toContain('has no public address')
    expect(await ask('registry.test:443', 'CONNECT')).toContain('has no public address')
    expect(await ask('registry.test:22', 'CONNECT')).toContain('only the ports 80 and 443')
  })
})

async function freePort(): Promise<number> {
  const server = createTcpServer()
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as { port: number }
  await new Promise((done) => server.close(done))
  return port
}
