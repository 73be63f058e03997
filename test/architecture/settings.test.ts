/** Every setting that a README documents has one owner and a reader: a setting that nothing reads promises what is not so. */
import { join } from 'node:path'
import type { Plugin } from 'svc/sdk'
import { expect, test } from 'vitest'
import { blockPath } from '../../home/plugin-settings.ts'
import { configKeys } from '../support/docs/config-keys.ts'
import { exists, findManifest, pluginFolder, pluginNames, read, root, sourcesBelow } from '../support/repository.ts'

interface Setting {
  readonly plugin: string
  /** Dotted, with the block. */
  readonly path: string
}

async function settings(): Promise<Setting[]> {
  const found: Setting[] = []
  for (const name of pluginNames()) {
    const manifest = findManifest(name)
    if (!manifest || !exists(`${pluginFolder(name)}/index.ts`)) continue
    const plugin = ((await import(join(root, pluginFolder(name), 'index.ts'))) as { default: Plugin }).default
    const block = blockPath({ manifest, origin: 'built-in' })
    for (const { path } of plugin.config ? configKeys(plugin.config) : [])
      if (path !== '*') found.push({ plugin: name, path: `${block}.${path}` })
  }
  return found
}

const FULL_SCREEN = ['tui', 'tui-transcript', 'tui-panes', 'tui-composer', 'tui-screen']

/** Who reads a setting besides the plugin that owns it: services of the SDK hand whole blocks on. */
const READERS: readonly (readonly [RegExp, readonly string[]])[] = [
  [/^display\.(?:platforms\.cli\.)?\w+$/, [...FULL_SCREEN, 'conversation']],
  [/^display\.platforms\.\*\./, ['gateway', 'conversation']],
  [/^platforms\.\w+\./, ['gateway', 'access']],
  [/^approvals\.destructive_slash_confirm$/, ['conversation']],
  [/^terminal\./, ['terminal-docker', 'terminal-ssh', 'terminal-bubblewrap']],
  [/^gateway\.drain_seconds$/, ['gateway-cli']],
  [/^model\.api_mode$/, ['provider-openai']],
  [/^kanban\.auto_subscribe_on_create$/, ['kanban-cli']],
]

/** A slot of side work is read by the plugin that asks for it by name. */
const SLOT = /^auxiliary\.(\w+)$/

const sources = new Map<string, string>()

/** Sources without comments, and without the schemas, which name every key. */
function readSource(folder: string): string {
  const known = sources.get(folder)
  if (known !== undefined) return known
  const files = sourcesBelow(folder).filter((path) => !/\/(?:config|migrations)\.ts$/.test(path))
  const text = files.map((path) => read(path).replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '')).join('\n')
  sources.set(folder, text)
  return text
}

/** `.key`, `['key']`, `{ key }` of a destructuring, or the name of a key in a table. */
function isReadIn(folder: string, key: string): boolean {
  return new RegExp(`(?<![\\w$-])${key}(?![\\w$-])`).test(readSource(folder))
}

/** A platform that is only described leaves the settings of its kind to the kit. */
function isReadByKit(plugin: string, key: string): boolean {
  return isReadIn(pluginFolder(plugin), 'define(?:Webhook|Stream)Platform') && isReadIn('sdk/kit/platform', key)
}

function isSlotAsked(slot: string): boolean {
  return pluginNames().some((name) =>
    new RegExp(`(?:slot|SLOT)\\b\\W{1,4}'${slot}'`).test(readSource(pluginFolder(name))),
  )
}

test('every setting of a plugin is read', async () => {
  const unread = (await settings()).filter(({ plugin, path }) => {
    const [slot] = SLOT.exec(path)?.slice(1) ?? []
    if (slot !== undefined && slot !== 'transient_retries') return !isSlotAsked(slot)
    const key = path.split('.').findLast((part) => part !== '*') ?? ''
    const folders = [plugin, ...READERS.flatMap(([pattern, more]) => (pattern.test(path) ? more : []))]
    return !folders.some((folder) => isReadIn(pluginFolder(folder), key)) && !isReadByKit(plugin, key)
  })
  expect(unread.map(({ plugin, path }) => `${plugin}: ${path}`)).toEqual([])
})

test('a setting has one owner', async () => {
  const owners = new Map<string, string[]>()
  for (const { plugin, path } of await settings()) owners.set(path, [...(owners.get(path) ?? []), plugin])
  expect([...owners].filter(([, plugins]) => plugins.length > 1)).toEqual([])
})
