/** The public interface as text: every declaration of the sdk and of the library, as the build emits them. */
import { exists, filesBelow, read } from '../repository.ts'
import { exportedNames, type Node, parse } from '../syntax.ts'
import { byText } from './markdown.ts'

const rooms = filesBelow('sdk/kit').filter((file) => file.endsWith('/index.ts'))

/** What can be imported, and the file behind it. */
export const entries: Readonly<Record<string, string>> = {
  svc: 'kernel/library.ts',
  'svc/sdk': 'sdk/index.ts',
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
  const library = `${types}kernel/library.d.ts`
  if (!exists(library)) throw new Error(`there is no ${library}; run: npm run build`)
  const barrels = Object.values(entries).map((file) => `${types}${file.replace(/ts$/, 'd.ts')}`)
  const files = [library, ...filesBelow(`${types}sdk`).filter((file) => !barrels.includes(file))]
  const names = Object.entries(publicNames()).map(([entry, list]) => `== ${entry}\n${list.join('\n')}`)
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
