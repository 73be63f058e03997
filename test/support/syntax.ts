/** Sources as syntax trees, and the few questions that tests ask of them. */
import { parseAst } from 'vitest/node'
import { read } from './repository.ts'

/** A node of the tree (ESTree with TypeScript). */
export interface Node {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly [field: string]: unknown
}

/** A source file with its tree. */
export interface Source {
  readonly path: string
  readonly text: string
  readonly tree: Node
}

const parsed = new Map<string, Source>()

/** A parsed source file, by its path from the top level. */
export function source(path: string): Source {
  let found = parsed.get(path)
  if (!found) {
    found = parse(path, read(path))
    parsed.set(path, found)
  }
  return found
}

/** Parses text that is in no file of the repository. */
export function parse(path: string, text: string): Source {
  const lang = path.endsWith('.d.ts') ? 'dts' : path.endsWith('.tsx') ? 'tsx' : 'ts'
  return { path, text, tree: parseAst(text, { lang }) as unknown as Node }
}

/** A node with those around it. */
class Visit {
  readonly node: Node
  readonly #outer: Visit | undefined

  constructor(node: Node, outer: Visit | undefined) {
    this.node = node
    this.#outer = outer
  }

  /** The nearest last. Made when it is asked for: most rules look at the node alone. */
  get around(): readonly Node[] {
    const nodes: Node[] = []
    for (let visit = this.#outer; visit; visit = visit.#outer) nodes.push(visit.node)
    return nodes.reverse()
  }
}

const visited = new WeakMap<Node, readonly Visit[]>()

/** Every node, the outer before the inner, each with those around it (the nearest last). */
export function walk(tree: Node): readonly { readonly node: Node; readonly around: readonly Node[] }[] {
  let all = visited.get(tree)
  if (!all) {
    const found: Visit[] = []
    visit(tree, undefined, found)
    all = found
    visited.set(tree, all)
  }
  return all
}

function visit(node: Node, outer: Visit | undefined, found: Visit[]): void {
  const own = new Visit(node, outer)
  found.push(own)
  for (const key in node) {
    const value = node[key]
    for (const child of Array.isArray(value) ? value : [value]) if (isNode(child)) visit(child, own, found)
  }
}

export function isNode(value: unknown): value is Node {
  return typeof (value as { type?: unknown } | null | undefined)?.type === 'string'
}

/** Line of an offset, from 1. */
export function getLineNumber(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length
}

/** What an `import` names that is computed when the program runs. */
export const COMPUTED = '<computed>'

/** One import of a file. */
export interface Import {
  readonly specifier: string
  /** Types only: nothing of it is left when the program runs. */
  readonly erased: boolean
}

/** All that a file imports: static, dynamic, types, `export ... from`, `require`. */
export function listImports({ tree }: Pick<Source, 'tree'>): Import[] {
  return [...walk(tree)].flatMap(({ node }) => readImport(node) ?? [])
}

function readImport(node: Node): Import | undefined {
  if (/^(ImportDeclaration|ExportAllDeclaration|ExportNamedDeclaration)$/.test(node.type)) {
    if (!isNode(node['source'])) return undefined
    const erased = node['importKind'] === 'type' || node['exportKind'] === 'type'
    return { specifier: getLiteralText(node['source']), erased }
  }
  if (node.type === 'TSImportType') return { specifier: getLiteralText(node['source']), erased: true }
  if (node.type === 'ImportExpression') return { specifier: getLiteralText(node['source']), erased: false }
  if (node.type === 'TSExternalModuleReference') return { specifier: getLiteralText(node['expression']), erased: false }
  if (node.type !== 'CallExpression' || getName(node['callee']) !== 'require') return undefined
  return { specifier: getLiteralText(getArguments(node)[0]), erased: false }
}

/** The text of a string literal or of a template without holes; `COMPUTED` for everything else. */
function getLiteralText(node: unknown): string {
  return literal(node) ?? COMPUTED
}

/** The text of a string literal, or of a template without holes. */
export function literal(node: unknown): string | undefined {
  if (!isNode(node)) return undefined
  if (node.type === 'Literal' && typeof node['value'] === 'string') return node['value']
  const quasis = node['quasis'] as readonly Node[] | undefined
  if (node.type !== 'TemplateLiteral' || quasis?.length !== 1) return undefined
  return (quasis[0]?.['value'] as { cooked?: string } | undefined)?.cooked
}

/** The name of an identifier. */
export function getName(node: unknown): string | undefined {
  return isNode(node) && node.type === 'Identifier' ? (node['name'] as string) : undefined
}

/** The last name of what is called: `use` of `ctx.use(...)`, `#read` of `this.#read(...)`. */
export function calledName(call: Node): string | undefined {
  const callee = call['callee']
  if (!isNode(callee) || callee.type !== 'MemberExpression') return getName(callee)
  const property = callee['property']
  return isNode(property) && property.type === 'PrivateIdentifier' ? `#${String(property['name'])}` : getName(property)
}

export function getArguments(call: Node): readonly Node[] {
  return (call['arguments'] as readonly Node[] | undefined) ?? []
}

/** Every call (`new` too) of one of these functions or methods. */
export function findCalls({ tree }: Pick<Source, 'tree'>, names: readonly string[]): Node[] {
  return [...walk(tree)]
    .map(({ node }) => node)
    .filter(({ type }) => type === 'CallExpression' || type === 'NewExpression')
    .filter((call) => names.includes(calledName(call) ?? ''))
}

/** An exported name with what is written above it and the text of its declaration. */
export interface Exported {
  readonly name: string
  /** The doc comment as one paragraph, without stars and tags. */
  readonly doc: string
  /** Its tags: `@since 0.2`, `@deprecated`. */
  readonly tags: readonly string[]
  readonly declaration: string
}

/** Declarations with `export` in a file; a constant and an interface of one name are two. */
export function listExports(path: string): Exported[] {
  const { text, tree } = source(path)
  const named = (tree['body'] as readonly Node[]).filter((node) => node.type === 'ExportNamedDeclaration')
  return named.flatMap((node) => {
    const declaration = node['declaration']
    if (!isNode(declaration)) return []
    const names = isNode(declaration['id'])
      ? [getName(declaration['id'])]
      : ((declaration['declarations'] as readonly Node[] | undefined) ?? []).map((each) => getName(each['id']))
    const comment = docBefore(text, node.start)
    const doc = withoutTags(comment)
    const tags = comment.match(/@since \d+\.\d+|@deprecated/g) ?? []
    return names.map((name) => ({ name: name ?? '', doc, tags, declaration: text.slice(node.start, node.end) }))
  })
}

function docBefore(text: string, offset: number): string {
  const before = text
    .slice(0, offset)
    .replace(/(\n[ \t]*\/\/.*)+\s*$/, '')
    .trimEnd()
  if (!before.endsWith('*/')) return ''
  const comment = before.slice(before.lastIndexOf('/**') + 3, -2)
  return comment
    .replace(/^\s*\*/gm, '')
    .replace(/\s+/g, ' ')
    .trim()
}

/** What a comment says before its first tag. */
export function withoutTags(comment: string): string {
  return comment.replace(/\s*@(since|deprecated)\b.*$/s, '')
}

/** Names that a file exports, also those it passes on (`export { a } from`), types included. */
export function exportedNames(path: string): string[] {
  const { tree } = source(path)
  const specifiers = (tree['body'] as readonly Node[]).flatMap((node) =>
    node.type === 'ExportNamedDeclaration' ? ((node['specifiers'] as readonly Node[] | undefined) ?? []) : [],
  )
  const passedOn = specifiers.map((specifier) => getName(specifier['exported']) ?? '')
  return [...new Set([...passedOn, ...listExports(path).map(({ name }) => name)])].sort()
}

/** Lines with code: neither blank nor only comment. */
export function codeLines(text: string): number {
  let inComment = false
  return text.split('\n').filter((line) => {
    const trimmed = line.trim()
    const starts = trimmed.startsWith('/*')
    const comment = inComment || starts || trimmed.startsWith('//')
    if (inComment || starts) inComment = !trimmed.endsWith('*/')
    return trimmed !== '' && !comment
  }).length
}
