/** Modules that are used as a whole: `sdk.Tools`, `const { Tools } = await import('svc/sdk')`, `import('svc/sdk').Tool`. */
import type { Job } from './rewrite.ts'
import { children, isNode, type Node, type Place } from './syntax.ts'
import { isOldModule, type Target } from './targets.ts'

/** A second name for a module of which a variable held the whole. */
export interface OtherModule {
  readonly name: string
  readonly entry: string
}

/**
 * Rewrites the uses of a variable that holds all of `svc/sdk`. Names of other entry points are taken from variables of
 * their own, which the caller declares. `isUsed` is whether the variable itself is still used.
 */
export function rewriteMembers(
  job: Job,
  local: string,
  declaration: Node,
): { readonly others: readonly OtherModule[]; readonly isUsed: boolean } {
  const { source, edits } = job
  const others = new Map<string, OtherModule>()
  if (source.bindings.get(local)?.length !== 1) {
    job.leave(declaration, `${local} names several things in this file: rewrite its names of svc/sdk by hand`)
    return { others: [], isUsed: true }
  }
  let isUsed = false
  const moduleFor = (entry: string) => {
    const made = others.get(entry) ?? {
      entry,
      name: freeName(job, `${local}${capitalize(entry.split('/').at(-1) ?? '')}`),
    }
    others.set(entry, made)
    return made.name
  }
  for (const place of source.uses.get(local) ?? []) {
    const member = findMember(place)
    if (member) {
      const target = job.names.resolve(member.name, place.node)
      if (target.entry === 'svc/sdk') isUsed = true
      else edits.replace(place.node, moduleFor(target.entry))
      if (target.name !== member.name) edits.replace(member.at, member.write(target.name))
      continue
    }
    const declarator = place.parent?.node
    const [pattern] = declarator?.type === 'VariableDeclarator' ? children(declarator, 'id') : []
    if (declarator && place.field === 'init' && pattern?.type === 'ObjectPattern') {
      rewritePattern(job, pattern, declarator, moduleFor)
      const entries = listKeys(pattern).map(({ key, name }) => job.names.resolve(name, key).entry)
      isUsed ||= entries.length === 0 || entries.includes('svc/sdk')
      continue
    }
    isUsed = true
    job.leave(place.node, `${local} is passed on as a whole; names of other entry points are not in it any more`)
  }
  return { others: [...others.values()], isUsed }
}

/** An `import()`, a `require()` or a type `import('svc/sdk')`. */
export function rewriteImportedModules(job: Job, place: Place): void {
  const { node } = place
  if (node.type === 'TSImportType') {
    rewriteImportType(job, node)
    return
  }
  const [address] = children(node, 'arguments')
  const [callee] = children(node, 'callee')
  if (node.type !== 'CallExpression' || address?.type !== 'StringLiteral' || !isOldModule(address['value'])) return
  const isImport = callee?.type === 'Import'
  if (!isImport && callee?.['name'] !== 'require') {
    job.leave(node, 'this names svc/sdk in a call; its names may be in other entry points now')
    return
  }
  const waited = isImport && place.parent?.node.type === 'AwaitExpression' ? place.parent : isImport ? undefined : place
  if (waited) rewriteModule(job, waited, address)
  else rewriteThen(job, place, address)
}

function rewriteModule(job: Job, whole: Place, address: Node): void {
  const around = whole.parent?.node
  const member = findMember(whole)
  if (member) {
    const target = job.names.resolve(member.name, whole.node)
    replaceAddress(job, address, target.entry)
    if (target.name !== member.name) job.edits.replace(member.at, member.write(target.name))
    return
  }
  if (around?.type === 'ExpressionStatement') {
    replaceAddress(job, address, 'svc/sdk')
    return
  }
  const [id] = around?.type === 'VariableDeclarator' ? children(around, 'id') : []
  const load = (entry: string) => {
    const [start, end] = [address.start - whole.node.start, address.end - whole.node.start]
    const text = job.source.text.slice(whole.node.start, whole.node.end)
    return text.slice(0, start) + quoteLike(job, address, entry) + text.slice(end)
  }
  if (around && id?.type === 'ObjectPattern') {
    rewritePattern(job, id, around, load, address)
    return
  }
  if (around && id?.type === 'Identifier') {
    const { others } = rewriteMembers(job, String(id['name']), around)
    replaceAddress(job, address, 'svc/sdk')
    for (const { name, entry } of others) job.edits.insert(around.end, `, ${name} = ${load(entry)}`)
    return
  }
  job.leave(whole.node, 'this module is passed on as a whole; names of other entry points are not in it any more')
}

/** `import('svc/sdk').then(({ Tools }) => …)`. */
function rewriteThen(job: Job, call: Place, address: Node): void {
  const then = findMember(call)?.name === 'then' ? call.parent?.parent?.node : undefined
  const [callback] = then ? children(then, 'arguments') : []
  const [pattern] = callback ? children(callback, 'params') : []
  const targets =
    pattern?.type === 'ObjectPattern' ? listKeys(pattern).map(({ key, name }) => job.names.resolve(name, key)) : []
  const entries = new Set(targets.map(({ entry }) => entry))
  if (pattern && entries.size === 1) {
    replaceKeys(job, pattern)
    replaceAddress(job, address, targets[0]?.entry ?? 'svc/sdk')
    return
  }
  job.leave(call.node, 'this module is passed on as a whole; names of other entry points are not in it any more')
}

/** `const { Tools, Platforms } = WHOLE`: a declaration for each entry point. */
function rewritePattern(
  job: Job,
  pattern: Node,
  declarator: Node,
  moduleFor: (entry: string) => string,
  address?: Node,
): void {
  const keys = listKeys(pattern)
  const targets = keys.map(({ key, name }) => job.names.resolve(name, key))
  const entries = [...new Set(targets.map(({ entry }) => entry))]
  const isSimple = keys.length === children(pattern, 'properties').length
  const [only] = entries
  if (only !== undefined && entries.length === 1 && isSimple) {
    replaceKeys(job, pattern)
    const [init] = children(declarator, 'init')
    if (address) replaceAddress(job, address, only)
    else if (init && only !== 'svc/sdk') job.edits.replace(init, moduleFor(only))
    return
  }
  if (entries.length === 0) return
  if (!isSimple) {
    job.leave(pattern, 'this takes all names of svc/sdk, of which many are in other entry points now')
    return
  }
  const [init] = children(declarator, 'init')
  const parts = entries.map((entry) => {
    const texts = keys.flatMap((key, at) => {
      const target = targets[at]
      return target?.entry === entry ? [renameKey(job, key, target)] : []
    })
    const isOwn = address === undefined && entry === 'svc/sdk'
    return `{ ${texts.join(', ')} } = ${isOwn ? job.source.text.slice(init?.start, init?.end) : moduleFor(entry)}`
  })
  job.edits.replace(declarator, parts.join(', '))
}

/** The text of a property with its key renamed; the variable that it binds stays. */
function renameKey({ source }: Job, { property, key, name }: Key, target: Target): string {
  if (target.name === name) return source.text.slice(property.start, property.end)
  if (property['shorthand'] === true) return `${target.name}: ${source.text.slice(property.start, property.end)}`
  return target.name + source.text.slice(key.end, property.end)
}

function rewriteImportType(job: Job, node: Node): void {
  const [address] = children(node, 'argument')
  const literal = address?.type === 'TSLiteralType' ? children(address, 'literal')[0] : address
  if (!literal || !isOldModule(literal['value'])) return
  let [first] = children(node, 'qualifier')
  while (first?.type === 'TSQualifiedName') [first] = children(first, 'left')
  if (!first) {
    job.leave(node, 'this is the type of all of svc/sdk, of which many names are in other entry points now')
    return
  }
  const target = job.names.resolve(String(first['name']), node)
  replaceAddress(job, literal, target.entry)
  if (target.name !== first['name']) job.edits.replace(first, target.name)
}

interface Key {
  readonly property: Node
  readonly key: Node
  readonly name: string
}

/** The properties of a pattern that are written as names. */
function listKeys(pattern: Node): Key[] {
  return children(pattern, 'properties').flatMap((property) => {
    const [key] = children(property, 'key')
    if (property.type !== 'ObjectProperty' || property['computed'] === true || !key) return []
    return [{ property, key, name: String(key['name'] ?? key['value']) }]
  })
}

function replaceKeys(job: Job, pattern: Node): void {
  for (const each of listKeys(pattern)) {
    const target = job.names.resolve(each.name, each.key)
    if (target.name !== each.name) job.edits.replace(each.property, renameKey(job, each, target))
  }
}

/** The name that is taken from a whole, and how to write another: `sdk.Tools`, `sdk['Tools']` or the type `sdk.Tool`. */
function findMember({
  node,
  parent,
  field,
}: Place): { readonly name: string; readonly at: Node; write(name: string): string } | undefined {
  const around = parent?.node
  if (around?.type === 'TSQualifiedName' && field === 'left') return named(children(around, 'right')[0])
  if (!around || !/^(Optional)?MemberExpression$/.test(around.type) || around['object'] !== node) return undefined
  const [property] = children(around, 'property')
  if (around['computed'] !== true) return named(property)
  if (property?.type !== 'StringLiteral') return undefined
  return { name: String(property['value']), at: property, write: (name) => JSON.stringify(name) }
}

function named(node: Node | undefined) {
  return isNode(node) ? { name: String(node['name']), at: node, write: (name: string) => name } : undefined
}

function freeName({ source }: Job, wanted: string): string {
  let name = wanted
  while (source.bindings.has(name) || source.uses.has(name)) name += '_'
  return name
}

function capitalize(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1)
}

function replaceAddress(job: Job, address: Node, entry: string): void {
  if (address['value'] !== entry) job.edits.replace(address, quoteLike(job, address, entry))
}

function quoteLike({ source }: Job, address: Node, entry: string): string {
  const mark = source.text[address.start] ?? "'"
  return `${mark}${entry}${mark}`
}
