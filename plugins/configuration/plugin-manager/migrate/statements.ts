/** `import { … } from`, `import * as … from` and `export { … } from`. */
import type { Job } from './rewrite.ts'
import { children, type Node } from './syntax.ts'
import { isOldModule, type Target } from './targets.ts'
import { rewriteMembers } from './whole-modules.ts'

const MAX_LINE = 120

/** One name of a statement, as it is written for the present SDK. */
interface Specifier {
  readonly target: Target
  readonly text: string
}

export function rewriteImport(job: Job, node: Node): void {
  if (!isOldModule(getAddress(node))) return
  const specifiers = children(node, 'specifiers')
  const whole = specifiers.find(({ type }) => type !== 'ImportSpecifier')
  if (whole?.type === 'ImportNamespaceSpecifier') {
    rewriteNamespace(job, node, whole)
    return
  }
  if (whole) {
    job.leave(node, 'svc/sdk has no default export: import the names that are used')
    return
  }
  reportUnknown(job, specifiers)
  const rewritten = specifiers.map((each): Specifier => {
    const [imported, local] = [getName(each, 'imported'), getName(each, 'local')]
    const target = job.names.resolve(imported, each)
    const type = each['importKind'] === 'type' ? 'type ' : ''
    const name = chooseLocal(job, imported, local, target)
    return { target, text: `${type}${target.name}${name === target.name ? '' : ` as ${name}`}` }
  })
  replaceStatement(job, node, node['importKind'] === 'type' ? 'import type' : 'import', rewritten)
}

export function rewriteExport(job: Job, node: Node): void {
  if (!isOldModule(getAddress(node))) return
  const specifiers = children(node, 'specifiers')
  if (node.type === 'ExportAllDeclaration' || specifiers.some(({ type }) => type !== 'ExportSpecifier')) {
    job.leave(node, 'this passes on all names of svc/sdk, of which many are in other entry points now: name them')
    return
  }
  const rewritten = specifiers.map((each): Specifier => {
    const [local, exported] = [getName(each, 'local'), getName(each, 'exported')]
    const target = job.names.resolve(local, each)
    const type = each['exportKind'] === 'type' ? 'type ' : ''
    return { target, text: `${type}${target.name}${exported === target.name ? '' : ` as ${exported}`}` }
  })
  replaceStatement(job, node, node['exportKind'] === 'type' ? 'export type' : 'export', rewritten)
}

/**
 * The name that the file uses from now on: the new one, with all uses renamed. The old one stays where the file gave it
 * another name itself, and where the new one means something else in the file.
 */
function chooseLocal({ source, edits }: Job, imported: string, local: string, { name }: Target): string {
  if (local !== imported || name === imported) return local
  const isTaken = source.bindings.has(name) || source.uses.has(name)
  const uses = source.uses.get(local) ?? []
  if (isTaken || source.bindings.get(local)?.length !== 1 || uses.some(({ node }) => node.type === 'JSXIdentifier'))
    return local
  for (const { node, parent, field } of uses) {
    const isShorthand = parent?.node.type === 'ObjectProperty' && parent.node['shorthand'] === true
    const isExported = parent?.node.type === 'ExportSpecifier' && field === 'local'
    if (isShorthand) edits.replace({ start: node.start, end: node.end }, `${local}: ${name}`)
    else if (
      isExported &&
      getName(parent.node, 'exported') === local &&
      children(parent.node, 'exported')[0]?.start === node.start
    )
      edits.replace({ start: node.start, end: node.end }, `${name} as ${local}`)
    else edits.replace({ start: node.start, end: node.start + local.length }, name)
  }
  return name
}

/** Values that neither the present SDK nor the earlier one has. */
function reportUnknown({ source, names, leave }: Job, specifiers: readonly Node[]): void {
  for (const each of specifiers) {
    const [imported, local] = [getName(each, 'imported'), getName(each, 'local')]
    const { rename } = names.resolve(imported, each)
    if (rename || names.hasValue(imported, 'svc/sdk')) continue
    const isValue = (source.uses.get(local) ?? []).some(
      ({ parent }) => parent && !/^TS(?!As|Satisfies|NonNull)/.test(parent.node.type),
    )
    if (isValue) leave(each, `svc/sdk does not export ${imported}`)
  }
}

function rewriteNamespace(job: Job, node: Node, whole: Node): void {
  const local = getName(whole, 'local')
  const type = node['importKind'] === 'type' ? 'type ' : ''
  const statement = (name: string, entry: string) =>
    `import ${type}* as ${name} from ${quote(job, node, entry)}${end(job, node)}`
  const { others, isUsed } = rewriteMembers(job, local, node)
  if (others.length === 0) {
    replaceAddress(job, node, 'svc/sdk')
    return
  }
  const lines = [
    ...(isUsed ? [statement(local, 'svc/sdk')] : []),
    ...others.map(({ name, entry }) => statement(name, entry)),
  ]
  job.edits.replace(node, lines.join('\n'))
}

/** One statement for each entry point; within one, only what differs is changed, so that its layout and comments stay. */
function replaceStatement(job: Job, node: Node, keyword: string, specifiers: readonly Specifier[]): void {
  const entries = [...new Set(specifiers.map(({ target }) => target.entry))]
  if (entries.length <= 1) {
    for (const [at, specifier] of children(node, 'specifiers').entries()) {
      const text = specifiers[at]?.text ?? ''
      if (job.source.text.slice(specifier.start, specifier.end) !== text) job.edits.replace(specifier, text)
    }
    replaceAddress(job, node, entries[0] ?? 'svc/sdk')
    return
  }
  const statements = entries.map((entry) => {
    const names = specifiers.filter(({ target }) => target.entry === entry).map(({ text }) => text)
    const from = `from ${quote(job, node, entry)}${end(job, node)}`
    const line = `${keyword} { ${names.join(', ')} } ${from}`
    return line.length <= MAX_LINE ? line : `${keyword} {\n${names.map((name) => `  ${name},\n`).join('')}} ${from}`
  })
  const comments = job.source.text.slice(node.start, node.end).match(/\/\/.*|\/\*[\s\S]*?\*\//g) ?? []
  job.edits.replace(node, [...comments, ...statements].join('\n'))
}

function replaceAddress(job: Job, node: Node, entry: string): void {
  const [address] = children(node, 'source')
  if (address && address['value'] !== entry) job.edits.replace(address, quote(job, node, entry))
}

function getAddress(node: Node): unknown {
  return children(node, 'source')[0]?.['value']
}

function quote({ source }: Job, node: Node, entry: string): string {
  const [address] = children(node, 'source')
  const mark = source.text[address?.start ?? -1] === '"' ? '"' : "'"
  return `${mark}${entry}${mark}`
}

/** Statements end as the author ends them. */
function end({ source }: Job, node: Node): string {
  return source.text[node.end - 1] === ';' ? ';' : ''
}

/** The name in a field; an exported name may be text. */
export function getName(node: Node, field: string): string {
  const [child] = children(node, field)
  return String(child?.['name'] ?? child?.['value'] ?? '')
}
