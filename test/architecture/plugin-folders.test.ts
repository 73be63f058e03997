import { join } from 'node:path'
import type { Plugin } from 'svc/sdk'
import { expect, test } from 'vitest'
import { configKeys } from '../support/docs/config-keys.ts'
import { markersIn } from '../support/docs/markdown.ts'
import {
  exists,
  filesBelow,
  findManifest,
  pluginFolder,
  pluginNames,
  read,
  root,
  sourcesBelow,
} from '../support/repository.ts'
import { findCalls, getName, literal, type Node, source, walk } from '../support/syntax.ts'

const names = pluginNames()

async function loadPlugin(name: string): Promise<Plugin> {
  return ((await import(join(root, pluginFolder(name), 'index.ts'))) as { default: Plugin }).default
}

test.for(names)('%s has a plugin.json, an index.ts, a README.md and, when it throws, an errors.ts', (name) => {
  const sources = sourcesBelow(pluginFolder(name)).map((file) => source(file))
  const throws = sources.some((each) => findCalls(each, ['SvcError']).length > 0)
  const needed = ['plugin.json', 'index.ts', 'README.md', ...(throws ? ['errors.ts'] : [])]
  expect(needed.filter((file) => !exists(`${pluginFolder(name)}/${file}`))).toEqual([])
})

test.for(names)('the README of %s says what it is, shows it at work and names its limits', (name) => {
  const text = exists(`${pluginFolder(name)}/README.md`) ? read(`${pluginFolder(name)}/README.md`) : ''
  expect(text).toMatch(new RegExp(`^# ${name}\n`))
  expect(text).toMatch(/\n```\w*\n[\s\S]+?\n```\n/)
  expect(text).toMatch(/\n## Limits?\n/)
  expect(markersIn(text).filter((marker) => !['methods', 'services'].includes(marker))).toEqual(['config'])
})

test.for(names)('every config key of %s is described, and none has to be set', async (name) => {
  const { config } = await loadPlugin(name)
  const keys = config ? configKeys(config) : []
  expect(keys.filter((key) => !/^\S.*\S$/s.test(key.description)).map((key) => key.path)).toEqual([])
  if (!config) return
  const result = await config['~standard'].validate({})
  expect(result.issues).toBeUndefined()
})

test.for(names)('%s owns a config block exactly when it has a schema', async (name) => {
  const { config } = await loadPlugin(name)
  const block = findManifest(name)?.config
  expect(exists(`${pluginFolder(name)}/config.ts`)).toBe(config !== undefined)
  if (block !== undefined) expect(config, `${name} names the block ${block} but has no schema for it`).toBeDefined()
})

test('no two plugins own one config block, and none owns one inside that of another', () => {
  const blocks = names.flatMap((name) => findManifest(name)?.config ?? [])
  const clashes = blocks.filter((block, at) => {
    return blocks.some((other, index) => index !== at && (other === block || other.startsWith(`${block}.`)))
  })
  expect(clashes).toEqual([])
})

/** Programs that are run for the user, npm and a shell, get the user's environment less its secrets. No service has it. */
const allowed = [
  // A proof that a recorded run would repeat is none.
  'plugins/messaging/control/peer-proof.ts: crypto.randomBytes',
  // A key that a recorded run repeats could be read from the recording.
  'plugins/messaging/platforms/platform-matrix/encryption/machine.ts: crypto.randomBytes',
  'plugins/tools/shell/tool-terminal/index.ts: process.env',
  // A library reads the clock of the system, and is told by how much that of svc differs.
  'plugins/dashboard/dashboard-login/oidc.ts: Date.now',
  // A worker is svc itself, as are backends and terminals of the dashboard and a gateway that it starts; a stage looks for programs of the user.
  'plugins/dashboard/desktop/bootstrap/run-stage.ts: process.env',
  'plugins/dashboard/desktop/link-registration.ts: process.env',
  'plugins/dashboard/desktop/run.ts: process.env',
  'plugins/dashboard/dashboard-operations/own-command.ts: process.env',
  'plugins/dashboard/web-terminal/index.ts: process.env',
  'plugins/messaging/gateway-cli/process-service.ts: process.env',
  'plugins/work/kanban-dispatcher/worker-process.ts: process.env',
]

/** What reaches a plugin from outside comes from a service, so that a run can be recorded and replayed. */
const ambient = [
  'Date.now',
  'Math.random',
  'performance.now',
  'process.env',
  'crypto.randomUUID',
  'setTimeout',
  'setInterval',
  'fetch',
]

test('time, randomness, the network and the environment come from services', () => {
  const found = sourcesBelow('plugins')
    // A stand-in is the other side of the wire: no run of svc depends on it.
    .filter((file) => !file.includes('/templates/') && !file.includes('/stand-in/'))
    .flatMap((file) => {
      const used = [...walk(source(file).tree)].flatMap(
        ({ node, around }) => ambientName(node, around) ?? ambientImport(node) ?? [],
      )
      return [...new Set(used)].map((name) => `${file}: ${name}`)
    })
  expect(found.sort()).toEqual([...allowed].sort())
})

/** Members of modules that are imported by their names, such as `randomUUID` of `node:crypto`. */
const ambientImports: Readonly<Record<string, RegExp>> = {
  crypto: /^(random(UUID|Bytes|Int|Fill|FillSync)|getRandomValues)$/,
  perf_hooks: /^performance$/,
  process: /^env$/,
  timers: /^set(Timeout|Interval)$/,
  'timers/promises': /^set(Timeout|Interval)$/,
}

function ambientImport(node: Node): string | undefined {
  if (node.type !== 'ImportDeclaration' || node['importKind'] === 'type') return undefined
  const from = String(literal(node['source'] as Node) ?? '').replace(/^node:/, '')
  const names = ((node['specifiers'] as Node[] | undefined) ?? []).flatMap((each) => getName(each['imported']) ?? [])
  const found = names.find((name) => ambientImports[from]?.test(name))
  return found === undefined ? undefined : `${from}.${found}`
}

function ambientName(node: Node, around: readonly Node[]): string | undefined {
  if (node.type === 'NewExpression' && getName(node['callee']) === 'Date' && !(node['arguments'] as Node[]).length)
    return 'new Date()'
  if (node.type === 'CallExpression') return ambient.find((name) => name === getName(node['callee']))
  if (node.type !== 'MemberExpression' || around.at(-1)?.type === 'ImportExpression') return undefined
  const member = getName(node['property']) ?? literal(node['property'])
  return ambient.find((name) => name === `${getName(node['object'])}.${member}`)
}

test('templates and assets are the only files of a plugin that are not TypeScript or its papers', () => {
  const odd = names
    .flatMap((name) => filesBelow(pluginFolder(name)).map((file) => file.slice(pluginFolder(name).length + 1)))
    .filter((file) => {
      const [first = '', ...inner] = file.split('/')
      if (inner.length)
        return ![
          'templates',
          'pages',
          'backend',
          'bootstrap',
          'window',
          'skills',
          'locales',
          'tables',
          'migrate',
          'new',
          'project',
          'curator',
          'encryption',
          'staged',
          'snapshots',
          'rules',
          'sources',
          'stand-in',
          'text',
          'versions',
          'app',
        ].includes(first)
      return !/^([a-z0-9-]+\.(ts|d\.ts|js|sh|py)|plugin\.json|README\.md)$/.test(first)
    })
  expect(odd).toEqual([])
})
