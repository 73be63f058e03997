/** Types that public signatures name and that no entry point exports: an author could not name them. */
import { posix } from 'node:path'
import { read } from '../repository.ts'
import { getName, isNode, type Node, parse, walk } from '../syntax.ts'

const types = 'dist/types/'

/** Declarations of one file of types, and what its imports mean. */
interface Declared {
  readonly declarations: ReadonlyMap<string, readonly Node[]>
  /** Local name to file and name there. */
  readonly imports: ReadonlyMap<string, Symbol>
  /** Names that it passes on. */
  readonly exports: readonly Symbol[]
}

/** A name in a file of types, without the folder of all types. */
interface Symbol {
  readonly file: string
  readonly name: string
}

const known = new Map<string, Declared>()

/** `file#name <- user` for each type that is missing from the entry points, which are given as source files. */
export function forgottenExports(entries: readonly string[]): string[] {
  const exported = entries.flatMap((file) => declared(file.replace(/ts$/, 'd.ts')).exports)
  const isExported = new Set(exported.map(getKey))
  return exported.flatMap((user) => {
    const missing = namedBy(user).filter((each) => !isExported.has(getKey(each)))
    return missing.map((each) => `${getKey(each)} <- ${user.name}`)
  })
}

const getKey = ({ file, name }: Symbol) => `${file}#${name}`

/** The types that a declaration names, except those of packages and its own parameters. */
function namedBy({ file, name }: Symbol): Symbol[] {
  const { declarations, imports } = declared(file)
  const names = new Set((declarations.get(name) ?? []).flatMap((node) => referredTo(node)))
  return [...names].flatMap((each) => {
    if (declarations.has(each)) return [{ file, name: each }]
    const imported = imports.get(each)
    return imported ? [imported] : []
  })
}

function referredTo(declaration: Node): string[] {
  return [...walk(declaration)].flatMap(({ node, around }) => {
    if ([...around, node].some((each) => each['accessibility'] === 'private')) return []
    const named =
      { TSTypeReference: 'typeName', TSTypeQuery: 'exprName', TSInterfaceHeritage: 'expression' }[node.type] ??
      (node.type === 'TSClassImplements' ? 'expression' : undefined)
    const name = named === undefined ? undefined : getName(node[named])
    return name === undefined ? [] : [name]
  })
}

function declared(file: string): Declared {
  let found = known.get(file)
  if (!found) {
    found = readDeclared(file)
    known.set(file, found)
  }
  return found
}

function readDeclared(file: string): Declared {
  const declarations = new Map<string, Node[]>()
  const imports = new Map<string, Symbol>()
  const exports: Symbol[] = []
  for (const statement of parse(file, read(`${types}${file}`)).tree['body'] as readonly Node[]) {
    for (const { local, symbol } of passedIn(file, statement)) {
      if (statement.type === 'ImportDeclaration') imports.set(local, symbol)
      else exports.push(symbol)
    }
    const declaration = isNode(statement['declaration']) ? statement['declaration'] : statement
    for (const name of listNames(declaration)) declarations.set(name, [...(declarations.get(name) ?? []), declaration])
  }
  return { declarations, imports, exports }
}

/** What an import or `export ... from` takes from another file, by its local name. */
function passedIn(file: string, statement: Node): { readonly local: string; readonly symbol: Symbol }[] {
  const from = isNode(statement['source']) ? String(statement['source']['value']) : ''
  if (!from.startsWith('.')) return []
  const at = posix.join(posix.dirname(file), from).replace(/\.ts$/, '.d.ts')
  return ((statement['specifiers'] ?? []) as readonly Node[]).map((each) => {
    const local = getName(each['local']) ?? ''
    return { local, symbol: { file: at, name: getName(each['imported']) ?? local } }
  })
}

function listNames(declaration: Node): string[] {
  const list = (declaration['declarations'] as readonly Node[] | undefined) ?? [declaration]
  return list.flatMap(({ id }) => getName(id) ?? [])
}
