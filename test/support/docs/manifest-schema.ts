/** `sdk/plugin.schema.json`: the JSON Schema of `plugin.json`, made of the interface `Manifest` and its comments. */
import { type Node, source } from '../syntax.ts'

type JsonSchema = Readonly<Record<string, unknown>>

const FILES = ['sdk/manifest.ts', 'sdk/plugin.ts']

/** Built-in plugins only, and the marker of an editor. */
const HIDDEN = ['permanent']

export function manifestSchema(): JsonSchema {
  const { properties, required } = interfaceSchema('Manifest')
  const shown = Object.entries(properties).filter(([name]) => !HIDDEN.includes(name))
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'plugin.json of svc',
    description: 'What is known of a plugin of svc before its code runs.',
    type: 'object',
    properties: { $schema: { type: 'string' }, ...Object.fromEntries(shown) },
    patternProperties: { '^x-': { description: 'Belongs to another program and is not read.' } },
    required,
    additionalProperties: false,
  }
}

/** A declaration of the SDK by its name. */
function declaration(name: string): { readonly node: Node; readonly file: string } | undefined {
  for (const file of FILES)
    for (const node of source(file).tree['body'] as readonly Node[]) {
      const inner = (node['declaration'] ?? node) as Node
      if ((inner['id'] as { readonly name?: string } | undefined)?.name === name) return { node: inner, file }
    }
  return undefined
}

function interfaceSchema(name: string): { properties: Record<string, JsonSchema>; required: string[] } {
  const found = declaration(name)
  if (!found) throw new Error(`there is no interface ${name}`)
  const properties: Record<string, JsonSchema> = {}
  const required: string[] = []
  let end = found.node.start
  for (const member of (found.node['body'] as { readonly body: readonly Node[] }).body) {
    const key = (member['key'] as { readonly name: string }).name
    const type = (member['typeAnnotation'] as { readonly typeAnnotation: Node }).typeAnnotation
    properties[key] = { description: readComment(found.file, end, member.start), ...typeSchema(type) }
    if (member['optional'] !== true) required.push(key)
    end = member.end
  }
  return { properties, required }
}

/** The comment between two members, as one paragraph. */
function readComment(file: string, from: number, to: number): string {
  const [, comment = ''] = /\/\*\*([\s\S]*?)\*\/\s*$/.exec(source(file).text.slice(from, to)) ?? []
  return comment
    .replaceAll(/^\s*\*/gm, '')
    .replaceAll(/\s+/g, ' ')
    .trim()
}

function typeSchema(node: Node): JsonSchema {
  switch (node.type) {
    case 'TSStringKeyword':
      return { type: 'string' }
    case 'TSNumberKeyword':
      return { type: 'number' }
    case 'TSBooleanKeyword':
      return { type: 'boolean' }
    case 'TSLiteralType':
      return { const: (node['literal'] as { readonly value: unknown }).value }
    case 'TSTypeOperator':
      return typeSchema(node['typeAnnotation'] as Node)
    case 'TSArrayType':
      return { type: 'array', items: typeSchema(node['elementType'] as Node) }
    case 'TSUnionType':
      return unionSchema((node['types'] as readonly Node[]).map(typeSchema))
    case 'TSTypeLiteral':
      return literalSchema(node)
    case 'TSTypeReference':
      return referenceSchema(node)
    default:
      throw new Error(`${node.type} has no JSON Schema here`)
  }
}

function unionSchema(all: readonly JsonSchema[]): JsonSchema {
  const isEnum = all.every((each) => 'const' in each)
  return isEnum ? { enum: all.map((each) => each['const']) } : { anyOf: all }
}

function literalSchema(node: Node): JsonSchema {
  const members = (node['members'] as readonly Node[]).map((member) => {
    const type = (member['typeAnnotation'] as { readonly typeAnnotation: Node }).typeAnnotation
    return [(member['key'] as { readonly name: string }).name, typeSchema(type)]
  })
  return { type: 'object', properties: Object.fromEntries(members), additionalProperties: false }
}

function referenceSchema(node: Node): JsonSchema {
  const { name } = node['typeName'] as { readonly name: string }
  const given = (node['typeArguments'] as { readonly params: readonly Node[] } | undefined)?.params ?? []
  if (name === 'Readonly') return typeSchema(given[0] as Node)
  if (name === 'Record') return { type: 'object', additionalProperties: typeSchema(given[1] as Node) }
  const found = declaration(name)
  if (!found) throw new Error(`there is no type ${name}`)
  if (found.node.type === 'TSTypeAliasDeclaration') return typeSchema(found.node['typeAnnotation'] as Node)
  return { type: 'object', ...interfaceSchema(name), additionalProperties: false }
}
