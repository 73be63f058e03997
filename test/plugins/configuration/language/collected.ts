/** Every English text that front ends show, from all plugins: what the tables of the languages must hold. */
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ExtensionPoint, SlashCommands } from 'svc/sdk'
import { KeyBindings, Overlays } from 'svc/sdk/terminal'
import { testKernel } from 'svc/sdk/testing'
import { removeFolder } from '../../../support/remove-folder.ts'
import { findManifest, pluginNames, sourcesBelow } from '../../../support/repository.ts'
import {
  calledName,
  findCalls,
  getArguments,
  getLineNumber,
  getName,
  literal,
  type Node,
  parse,
  source,
} from '../../../support/syntax.ts'

/** A text with the place where it stands. */
export interface Collected {
  readonly text: string
  readonly where: string
}

/** What translators say: texts that are written out, and places where one is put together instead. */
export function spoken(path: string, code?: string): { readonly texts: Collected[]; readonly strays: string[] } {
  const file = code === undefined ? source(path) : parse(path, code)
  const found = findCalls(file, ['t', '#t', 'text']).flatMap((call) => {
    const where = `${path}:${getLineNumber(file.text, call.start)}`
    const [first] = getArguments(call)
    const name = calledName(call)
    // Functions of other kinds are called `text`, too; the one meant here is that of a service.
    if (name === 'text' && getName(call['callee']) === 'text') return []
    return variants(first).map((node) => ({ node, text: literal(node), where, name }))
  })
  return {
    texts: found.flatMap(({ text, where }) => (text === undefined ? [] : [{ text, where }])),
    // A name or a member is a text that was collected elsewhere; anything that is put together cannot be looked up.
    strays: found
      .filter(({ node, text, name }) => name !== 'text' && text === undefined && !/Identifier|Member/.test(node.type))
      .map(({ where }) => where),
  }
}

/** The texts of a condition are two. */
function variants(node: Node | undefined): Node[] {
  if (!node) return []
  if (node.type !== 'ConditionalExpression') return [node]
  return [...variants(node['consequent'] as Node), ...variants(node['alternate'] as Node)]
}

/** Sources of plugins, without what `svc plugins new` writes. */
export function sourcesOfPlugins(): string[] {
  return sourcesBelow('plugins').filter((file) => !file.includes('/templates/'))
}

/** What commands, keys and screens are called: asked of the plugins themselves. */
export async function described(): Promise<Collected[]> {
  const home = mkdtempSync(join(tmpdir(), 'svc-texts-'))
  const points = [SlashCommands, KeyBindings, Overlays].map(({ id }) => id)
  const plugins = pluginNames().filter((name) =>
    Object.keys(findManifest(name)?.contributes ?? {}).some((id) => points.includes(id)),
  )
  const kernel = await testKernel({ home, plugins })
  try {
    const missing = plugins.filter((name) => kernel.plugins.info(name)?.status !== 'started')
    const why = missing.map((name) => `${name} (${kernel.plugins.info(name)?.reason})`)
    if (missing.length > 0) throw new Error(`These cannot be asked for their texts: ${why.join(', ')}`)
    const all = <T>(point: ExtensionPoint<T>) => kernel.all(point).all()
    const named = (text: string, where: string): Collected => ({ text, where })
    return [
      ...all(SlashCommands).flatMap(({ name, description, category }) => [
        named(description, `/${name}`),
        named(category, `the category of /${name}`),
      ]),
      ...all(KeyBindings).map(({ key, description }) => named(description, `the key ${key}`)),
      ...all(Overlays).map(({ name, title }) => named(title, `the screen ${name}`)),
    ]
  } finally {
    await kernel.stop()
    removeFolder(home)
  }
}

/** All, each once, sorted. */
export async function allTexts(): Promise<ReadonlyMap<string, string>> {
  const found = [...sourcesOfPlugins().flatMap((file) => spoken(file).texts), ...(await described())]
  const sorted = [...found].sort((one, other) => (one.text < other.text ? -1 : 1))
  return new Map(sorted.map(({ text, where }) => [text, where]))
}
