/** Apps of two plugins on one server: each conflict names both, and a built-in app is served whichever starts first. */
import { join } from 'node:path'
import type { InlinePlugin } from 'svc/sdk/host'
import { Plugins } from 'svc/sdk/host'
import { testKernel } from 'svc/sdk/testing'
import { Http, type HttpApp, jsonResponse } from 'svc/sdk/web'
import { expect, test } from 'vitest'
import { agreeTo } from '../../../support/consent.ts'
import { temporaryFolder, writeFiles } from '../../../support/temporary.ts'

const PORT_FILE = 'port.json'

function foreign(home: string, name: string, requires = '"http"'): void {
  writeFiles(join(home, 'plugins', name), {
    'plugin.json': `{"name": "${name}", "version": "1.0.0", "sdk": "^0.1.0", "kind": "service",
      "description": "Serves a path.", "requires": [${requires}], "with": ["http"]}`,
    'index.js': `import { readFileSync } from 'node:fs'
export default {
  setup: (ctx) => ctx.onStart(async () => {
    const app = JSON.parse(readFileSync('${join(home, PORT_FILE)}', 'utf8'))
    const handle = async () => ({ status: 200, body: '${name}' })
    const routes = [{ method: 'GET', path: '/place', handle }]
    // A caller cannot say that it is another plugin, nor declare the service in another way.
    await ctx.use({ id: 'http' }).mount({ ...app, name: '${name}', routes }, { plugin: 'api-server', isForeign: false })
  }),
}`,
  })
  agreeTo(home, name)
}

const app = (port: number): HttpApp => ({
  ...{ name: 'own', host: '127.0.0.1', port, prefix: '/v9', lock: { kind: 'public' } },
  routes: [{ method: 'GET', path: '/place', handle: async () => ({ status: 200, body: 'built in' }) }],
})
/** Keeps a server open, so that its port is known before the others come. */
const anchor: HttpApp = {
  ...{ name: 'anchor', host: '127.0.0.1', port: 0, prefix: '/anchor', lock: { kind: 'public' } },
  routes: [{ method: 'GET', path: '/', handle: async () => jsonResponse({}) }],
}

async function stage(names: readonly string[]) {
  const home = temporaryFolder()
  for (const name of names) foreign(home, name)
  writeFiles(home, { 'config.yaml': `plugins: { enabled: [${names.join(', ')}] }\n` })
  let mount = async (_: HttpApp): Promise<unknown> => undefined
  const late: InlinePlugin = {
    name: 'late',
    requires: ['http'],
    setup: (ctx) => {
      mount = (own) => ctx.use(Http).mount(own)
      ctx.onStart(async () => {
        const { port } = await ctx.use(Http).mount(anchor)
        writeFiles(home, { [PORT_FILE]: JSON.stringify({ ...app(port), routes: undefined }) })
      })
    },
  }
  const kernel = await testKernel({ home, plugins: ['http'], with: [late] })
  const port = kernel.use(Http).apps()[0]?.port ?? 0
  const problems = () => kernel.use(Plugins).problems()
  const read = async () => (await fetch(`http://127.0.0.1:${port}/v9/place`)).text()
  return { kernel, port, read, problems, mount: (own: HttpApp) => mount(own) }
}

test('of two plugins that a user installed the first one serves, and the failure of the other names both', async () => {
  const { kernel, read, problems } = await stage(['greedy', 'later'])
  await using _ = kernel
  expect(await read()).toBe('greedy')
  expect(problems()).toEqual([
    expect.objectContaining({
      ...{ plugin: 'later', stage: 'start', code: 'HTTP_PATH_TAKEN' },
      message: expect.stringMatching(/later \(plugin later\) and greedy \(plugin greedy\) both want "\/v9\/place"/),
    }),
  ])
})

test('a built-in app replaces that of a plugin that a user installed, and both are named', async () => {
  const { kernel, port, read, problems, mount } = await stage(['greedy'])
  await using _ = kernel
  expect(await read()).toBe('greedy')
  await mount(app(port))
  expect(await read()).toBe('built in')
  expect(problems()).toEqual([
    expect.objectContaining({
      ...{ plugin: 'greedy', code: 'HTTP_PATH_TAKEN' },
      message: expect.stringMatching(/own \(plugin late\) and greedy \(plugin greedy\)/),
    }),
  ])
})

test('a plugin that a user installed does not take the path of a built-in app, whatever name it gives its own', async () => {
  const { kernel, port, read, mount } = await stage([])
  await using _ = kernel
  await mount(app(port))
  const other = { ...app(port), name: 'own' }
  await expect(kernel.use(Http).mount(other)).rejects.toMatchObject({ code: 'HTTP_PATH_TAKEN' })
  expect(await read()).toBe('built in')
})
