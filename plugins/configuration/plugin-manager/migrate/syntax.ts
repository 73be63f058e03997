/** The syntax tree of a source file, the names that it binds, and where each name is used. */
import type { ParserPlugin } from '@babel/parser'

/** A node of the tree: Babel's form. */
export interface Node {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly loc: { readonly start: { readonly line: number } }
  readonly [field: string]: unknown
}

/** A node with the one around it, and the field of that in which it is. */
export interface Place {
  readonly node: Node
  readonly parent: Place | undefined
  readonly field: string
}

/** A parsed file. */
export interface Source {
  readonly text: string
  readonly places: readonly Place[]
  /** Names that the file binds, in any scope, with the nodes that bind them. */
  readonly bindings: ReadonlyMap<string, readonly Node[]>
  /** Uses of each name as a variable or type, without those that bind it. */
  readonly uses: ReadonlyMap<string, readonly Place[]>
}

/** Throws a `SyntaxError` with the line for a text that cannot be parsed. */
export async function parseSource(file: string, text: string): Promise<Source> {
  const { parse } = await import('./parser.ts')
  const tree = parse(text, { sourceType: 'unambiguous', errorRecovery: true, plugins: chooseSyntax(file) })
  const places = [...walk({ node: tree.program as unknown as Node, parent: undefined, field: '' })]
  const bindings = new Map<string, Node[]>()
  for (const { node } of places)
    for (const { name, at } of boundNames(node)) bindings.set(name, [...(bindings.get(name) ?? []), at])
  const binding = new Set([...bindings.values()].flat())
  const uses = new Map<string, Place[]>()
  for (const place of places) {
    const { type, name } = place.node
    const isUse = type === 'JSXIdentifier' || (type === 'Identifier' && !binding.has(place.node) && !isLabel(place))
    if (isUse) uses.set(String(name), [...(uses.get(String(name)) ?? []), place])
  }
  return { text, places, bindings, uses }
}

function chooseSyntax(file: string): ParserPlugin[] {
  if (/\.[mc]?ts$/.test(file)) return ['typescript', 'decorators-legacy']
  return file.endsWith('.tsx') ? ['typescript', 'jsx', 'decorators-legacy'] : ['jsx', 'decorators-legacy']
}

export function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && typeof (value as Partial<Node>).type === 'string'
}

const NO_CHILDREN: readonly string[] = ['loc', 'extra', 'leadingComments', 'innerComments', 'trailingComments']

function* walk(place: Place): Generator<Place> {
  yield place
  for (const [field, value] of Object.entries(place.node)) {
    if (NO_CHILDREN.includes(field)) continue
    for (const child of Array.isArray(value) ? value : [value])
      if (isNode(child)) yield* walk({ node: child, parent: place, field })
  }
}

/** The nodes in a field of a node. */
export function children(node: Node, field: string): readonly Node[] {
  const value = node[field]
  return (Array.isArray(value) ? value : [value]).filter((child) => isNode(child))
}

interface Bound {
  readonly name: string
  readonly at: Node
}

const DECLARATIONS =
  /^(Function|Class|TSDeclareFunction|TSEnumDeclaration|TSModuleDeclaration|TSImportEqualsDeclaration|(TSInterface|TSTypeAlias)Declaration)/
const PARAMETERS: readonly string[] = ['params', 'parameters']

/** What a node binds, not counting the nodes inside it. */
function boundNames(node: Node): Bound[] {
  const { type } = node
  if (type === 'VariableDeclarator') return children(node, 'id').flatMap((id) => patternNames(id))
  if (type === 'CatchClause') return children(node, 'param').flatMap((param) => patternNames(param))
  if (/^Import\w*Specifier$/.test(type)) return children(node, 'local').flatMap((local) => patternNames(local))
  // Babel gives the name of a type parameter as text.
  if (type === 'TSTypeParameter') return typeof node['name'] === 'string' ? [{ name: node['name'], at: node }] : []
  const own = DECLARATIONS.test(type) ? children(node, 'id').flatMap((id) => patternNames(id)) : []
  return [...own, ...PARAMETERS.flatMap((field) => children(node, field).flatMap((each) => patternNames(each)))]
}

/** The names in a pattern. */
function patternNames(node: Node): Bound[] {
  const inside = (field: string) => children(node, field).flatMap((child) => patternNames(child))
  switch (node.type) {
    case 'Identifier':
      return [{ name: String(node['name']), at: node }]
    case 'ObjectPattern':
      return inside('properties')
    case 'ObjectProperty':
      return inside('value')
    case 'ArrayPattern':
      return inside('elements')
    case 'AssignmentPattern':
      return inside('left')
    case 'RestElement':
      return inside('argument')
    case 'TSParameterProperty':
      return inside('parameter')
    default:
      return []
  }
}

const LABELED: Readonly<Record<string, readonly string[]>> = {
  MemberExpression: ['property'],
  OptionalMemberExpression: ['property'],
  TSQualifiedName: ['right'],
  ImportSpecifier: ['imported'],
  ImportAttribute: ['key'],
  ExportSpecifier: ['exported'],
  ExportNamespaceSpecifier: ['exported'],
  LabeledStatement: ['label'],
  BreakStatement: ['label'],
  ContinueStatement: ['label'],
  MetaProperty: ['meta', 'property'],
  TSEnumMember: ['id'],
  TSNamedTupleMember: ['label'],
  TSImportType: ['qualifier'],
}

/** Whether an identifier only labels something, as the key of a property does. */
function isLabel({ node, parent, field }: Place): boolean {
  if (parent === undefined) return false
  const around = parent.node
  if (field === 'key') return around['computed'] !== true && around['shorthand'] !== true
  // The name of a shorthand property is its value, which is the use.
  if (field === 'property' && around['computed'] === true) return false
  if (around.type === 'ExportSpecifier' && parent.parent && isNode(parent.parent.node['source'])) return true
  if (around.type === 'TSQualifiedName' && field === 'left') return isImportQualifier(parent)
  return LABELED[around.type]?.includes(field) === true && node.type === 'Identifier'
}

/** `a.b` of `import('x').a.b`. */
function isImportQualifier({ parent, field }: Place): boolean {
  if (parent === undefined) return false
  if (parent.node.type === 'TSImportType') return field === 'qualifier'
  return parent.node.type === 'TSQualifiedName' && isImportQualifier(parent)
}
