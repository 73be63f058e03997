import { expect, test } from 'vitest'
import { manifests, pluginNames, read, rooms, sourcesBelow } from '../support/repository.ts'
import { calledName, getLineNumber, getName, literal, type Node, source, walk } from '../support/syntax.ts'

/** A token's id may be a plugin's name: `service('agent')`. */
const tokenMakers = ['defineService', 'extensionPoint', 'notifyHook', 'transformHook', 'decisionHook', 'wrapHook']

const names = pluginNames()
/** A service may have the name of the plugin that provides it. */
const distinctive = names.filter(
  (name) => name.includes('-') && !manifests().some(({ provides }) => provides?.includes(name)),
)

/**
 * Where a plugin's name is its own word: `config` is the stage in which a plugin's config block is checked, `tui` a
 * value of config.yaml, `prompt` and `markdown` are kinds of text, `gateway` is a surface and the role of a process, `mentions` whose words count,
 * `background` what a turn is for,
 * `profiles` a folder of the home,
 * `media` a field of Telegram's `sendMediaGroup`, `http` a transport of MCP and a kind of check, `mcp` a kind of components.
 */
const ordinary: Readonly<Record<string, readonly string[]>> = {
  'home/home-folder.ts': ['profiles'],
  'kernel/host.ts': ['config'],
  'sdk/agent.ts': ['background'],
  'loader/manifest.ts': ['gateway'],
  'sdk/commands.ts': ['gateway'],
  'sdk/plugin.ts': ['gateway'],
  'sdk/display.ts': ['tui', 'prompt'],
  'sdk/mcp.ts': ['http'],
  'sdk/kanban-tasks.ts': ['http'],
  'sdk/audits.ts': ['mcp'],
  'sdk/platform-settings.ts': ['mentions'],
  'sdk/tool-view.ts': ['markdown'],
  'plugins/messaging/platforms/platform-telegram/stand-in/form.ts': ['media'],
  'plugins/messaging/platforms/platform-telegram/stand-in/methods.ts': ['media'],
}

function literalsNaming(file: string, wanted: readonly string[]): string[] {
  const { text, tree } = source(file)
  return [...walk(tree)].flatMap(({ node, around }) => {
    const value = literal(node)
    if (
      value === undefined ||
      !wanted.includes(value) ||
      isTokenId(around) ||
      isField(around) ||
      ordinary[file]?.includes(value)
    )
      return []
    return [`${file}:${getLineNumber(text, node.start)} names "${value}"`]
  })
}

function isTokenId(around: readonly Node[]): boolean {
  const call = around.at(-1)
  return call?.type === 'CallExpression' && tokenMakers.includes(calledName(call) ?? '')
}

/** `Plugin['config']` and `Omit<Manifest, 'config'>` name a field of a type. */
function isField(around: readonly Node[]): boolean {
  if (around.at(-1)?.type !== 'TSLiteralType') return false
  // `'a' | 'b'` stands between the name and anyone who takes it.
  const outside = around.slice(0, around.at(-2)?.type === 'TSUnionType' ? -2 : -1)
  if (outside.at(-1)?.type === 'TSIndexedAccessType') return true
  return ['Omit', 'Pick'].includes(getName(outside.at(-2)?.['typeName']) ?? '')
}

test('no text in the kernel or the sdk is the name of a plugin', () => {
  expect(sourcesBelow(...rooms, 'sdk').flatMap((file) => literalsNaming(file, names))).toEqual([])
})

/** The texts of a file, without its comments. */
function textsIn(file: string): string[] {
  return [...walk(source(file).tree)].flatMap(({ node }) => {
    if (node.type === 'TemplateElement') return [(node['value'] as unknown as { readonly raw: string }).raw]
    return literal(node) ?? []
  })
}

test('no text in the kernel names a command of a plugin, nor the file in which a person switches plugins', () => {
  const commands = manifests().flatMap(({ cli = [] }) => cli.map(({ name }) => name))
  const pattern = new RegExp(`\\bsvc (?:${commands.join('|')})\\b|config\\.yaml|\\.env\\b`)
  const found = sourcesBelow('kernel').flatMap((file) => {
    return textsIn(file)
      .filter((text) => pattern.test(text))
      .map((text) => `${file}: ${text}`)
  })
  expect(found).toEqual([])
  expect(textsIn('sdk/advice.ts').filter((text) => pattern.test(text)).length).toBeGreaterThan(4)
})

test('a name that only a plugin can have stands nowhere in the kernel or the sdk', () => {
  const found = sourcesBelow(...rooms, 'sdk').flatMap((file) => {
    const text = read(file)
    return distinctive.filter((name) => new RegExp(`\\b${name}\\b`).test(text)).map((name) => `${file}: ${name}`)
  })
  expect(found).toEqual([])
})
