/** The public interface as text: every declaration of the sdk and of the library, as the build emits them. */
import { posix } from 'node:path'
import { exists, filesBelow, read } from '../repository.ts'
import { exportedNames, getName, isNode, listExports, type Node, parse, source } from '../syntax.ts'
import { byText } from './markdown.ts'

const rooms = filesBelow('sdk/kit').filter((file) => file.endsWith('/index.ts'))

/** The entry points of the SDK besides `svc/sdk`: `host`, `hooks`, ... */
export const entryNames: readonly string[] = filesBelow('sdk/entries').map((file) => posix.basename(file, '.ts'))

/** What can be imported, and the file behind it. */
export const entries: Readonly<Record<string, string>> = {
  svc: 'program/library.ts',
  'svc/sdk': 'sdk/index.ts',
  ...Object.fromEntries(entryNames.map((name) => [`svc/sdk/${name}`, `sdk/entries/${name}.ts`])),
  'svc/sdk/testing': 'sdk/testing.ts',
  ...Object.fromEntries(rooms.map((file) => [`svc/${file.replace(/\/index\.ts$/, '')}`, file])),
}

const types = 'dist/types/'

/** Names of each entry, types included. */
export function publicNames(): Readonly<Record<string, readonly string[]>> {
  return Object.fromEntries(Object.entries(entries).map(([entry, file]) => [entry, exportedNames(file)]))
}

/** The report. Needs the declaration files of a build. */
export function apiReport(): string {
  const library = `${types}program/library.d.ts`
  if (!exists(library)) throw new Error(`there is no ${library}; run: npm run build`)
  const barrels = Object.values(entries).map((file) => `${types}${file.replace(/ts$/, 'd.ts')}`)
  const files = [library, ...filesBelow(`${types}sdk`).filter((file) => !barrels.includes(file))]
  const names = Object.entries(publicNames()).map(([entry, list]) => {
    const tags = publicTags(entry)
    return `== ${entry}\n${list.map((name) => [name, ...(tags.get(name) ?? [])].join(' ')).join('\n')}`
  })
  const sections = files.map((file) => `== ${file.slice(types.length)}\n${declarations(file).join('\n')}`)
  return `${[...names, ...sections].join('\n\n')}\n`
}

/** Declarations of a file without imports and comments, in an order that does not depend on where they stand. */
export function declarations(file: string, text: string = read(file)): string[] {
  const { tree } = parse(file, text)
  return (tree['body'] as readonly Node[])
    .filter(({ type }) => type !== 'ImportDeclaration')
    .map(({ start, end }) => withoutComments(text.slice(start, end)))
    .filter((declaration) => declaration !== 'export {};')
    .sort(byText)
}

function withoutComments(text: string): string {
  const lines = text.replace(/\/\*[\s\S]*?\*\//g, '').split('\n')
  return lines
    .map((line) => line.trimEnd())
    .filter(Boolean)
    .join('\n')
}

/** The tags of all names of an entry point, as the docstrings have them: `@since 0.2`, `@deprecated`. */
export function publicTags(entry: string): ReadonlyMap<string, readonly string[]> {
  const barrel = entries[entry] ?? ''
  const declared = passedOn(barrel)
  return new Map(
    exportedNames(barrel).map((name) => {
      const { file, local } = declared.get(name) ?? { file: barrel, local: name }
      return [name, listExports(file).flatMap((each) => (each.name === local ? each.tags : []))]
    }),
  )
}

/** Names that an entry point passes on, with the files that declare them. */
function passedOn(barrel: string): ReadonlyMap<string, { readonly file: string; readonly local: string }> {
  const body = source(barrel).tree['body'] as readonly Node[]
  const taken = body
    .filter((node) => isNode(node['source']))
    .flatMap((node) => {
      const file = posix.join(posix.dirname(barrel), String((node['source'] as Node)['value']))
      return ((node['specifiers'] ?? []) as readonly Node[]).map((each) => {
        const local = getName(each['imported'] ?? each['local']) ?? ''
        return [getName(each['exported'] ?? each['local']) ?? '', { file, local }] as const
      })
    })
  return new Map(taken)
}
