/** Tables of sdk/README.md: hooks, services, points, errors, environment variables. */
import { kernelOwner } from '../../../kernel/owner.ts'
import { errorCatalogs } from '../error-codes.ts'
import { manifests, rooms, sourcesBelow } from '../repository.ts'
import { type Exported, getName, isNode, listExports, literal, source, walk, withoutTags } from '../syntax.ts'
import { hooks, points, services } from '../tokens.ts'
import { byText, code, codes, table } from './markdown.ts'

interface Place {
  readonly file: string
  readonly exported: Exported
}

/** Every exported name of the sdk with its file; a token and its interface are two. */
function places(name: string): Place[] {
  return sourcesBelow('sdk').flatMap((file) => {
    return listExports(file)
      .filter((exported) => exported.name === name)
      .map((exported) => ({ file, exported }))
  })
}

/** Sentences that repeat what another column says. */
const repeated = /(Provided by|Contributed to) [^.;]*[.;]\s*/g

/** What is written above a token and its interface, or else at the head of their file. */
function getDocstring(name: string): string {
  const found = places(name)
  const docs = found.map(({ exported }) => exported.doc.replace(repeated, '')).filter(Boolean)
  const [first] = found
  const text = docs.join(' ') || (first ? getFileHeader(first.file) : '')
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** The comment that opens a file. */
export function getFileHeader(file: string): string {
  const [, head = ''] = /^(?:#!.*\n)?\/\*\*([\s\S]*?)\*\//.exec(source(file).text) ?? []
  return withoutTags(
    head
      .replace(/^\s*\*/gm, '')
      .replace(/\s+/g, ' ')
      .trim(),
  )
}

function link(name: string): string {
  const file = places(name)[0]?.file.replace('sdk/', '') ?? 'index.ts'
  return `[${code(name)}](${file})`
}

/** What stands between the outermost angle brackets of a token's type. */
function typeArguments(name: string): string {
  const token = places(name).find(({ exported }) => exported.declaration.startsWith('export const'))
  const [, inside = ''] = /:\s*\w+<([\s\S]*?)>\s*=/.exec(token?.exported.declaration ?? '') ?? []
  return inside
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/\breadonly /g, '')
    .replace(/,\s*$/, '')
    .replace(/\s+/g, ' ')
    .trim()
}

/** Up to the first comma outside of brackets: the item of a point, without the form in which it is added. */
function firstArgument(list: string): string {
  let depth = 0
  for (let at = 0; at < list.length; at++) {
    const sign = list[at] ?? ''
    if ('<({['.includes(sign)) depth++
    else if ('>)}]'.includes(sign)) depth--
    else if (sign === ',' && depth === 0) return list.slice(0, at).trim()
  }
  return list
}

export function hooksTable(): string {
  const rows = hooks().map(({ name, token }) => [
    link(name),
    code(token.id),
    token.kind,
    describePower(name, token),
    findPlaces(token.id),
    code(typeArguments(name)),
    token.limitMs ? `${token.limitMs / 1000} s` : 'none',
    failurePolicy(token),
    getDocstring(name),
  ])
  return table(
    ['Hook', 'Id', 'Kind', 'A listener can', 'Called in', 'Carries', 'Time limit', 'A failing listener', 'When'],
    rows,
  )
}

type Token = ReturnType<typeof hooks>[number]['token']

/** The only gate behind which a person is asked. Elsewhere `ask` denies. */
const ASKING = 'BeforeToolCall'

function describePower(name: string, { kind }: Token): string {
  if (kind === 'notify') return 'observe'
  if (kind === 'transform') return 'change'
  if (kind === 'decide') return name === ASKING ? 'deny, ask, allow' : 'deny'
  return 'change, stop'
}

const TURNS = 'every turn'

/** By the subject of the id: where what the hook is about happens. */
const PLACES: Readonly<Record<string, string>> = {
  ...Object.fromEntries(['message', 'turn', 'request', 'tools', 'tool'].map((subject) => [subject, TURNS])),
  'model:changed': 'conversations, turns',
  'command:environment': TURNS,
  model: `${TURNS}, side calls`,
  approval: TURNS,
  conversation: 'conversations of all front ends',
  command: 'conversations of all front ends',
  gateway: 'the gateway',
  delivery: 'the gateway',
  platform: 'the gateway',
}

function findPlaces(id: string): string {
  const [subject = ''] = id.split(':')
  return PLACES[id] ?? PLACES[subject] ?? 'the process where it happens'
}

function failurePolicy(hook: ReturnType<typeof hooks>[number]['token']): string {
  if (hook.kind === 'notify') return 'is skipped'
  if (hook.kind === 'transform') return 'leaves the value as it was'
  if (hook.kind === 'decide') return `counts as ${code(JSON.stringify(hook.verdict?.(new Error())))}`
  return hook.failure === 'skip' ? 'is left out' : 'fails the call'
}

/** `given` are the services that the kernel itself provides. */
export function servicesTable(given: readonly string[]): string {
  const rows = services().map(({ name, token }) => {
    const providers = manifests().filter((manifest) => manifest.provides?.includes(token.id))
    const by = given.includes(token.id) ? kernelOwner.name : codes(providers.map((manifest) => manifest.name))
    return [link(name), code(token.id), by || 'no plugin yet', getDocstring(name)]
  })
  return table(['Service', 'Id', 'Provided by', 'What it is'], rows)
}

export function pointsTable(): string {
  const rows = points().map(({ name, token }) => {
    const item = firstArgument(typeArguments(name))
    const givers = manifests().filter(({ contributes, cli }) => contributes?.[token.id] || (token.id === 'cli' && cli))
    return [link(name), code(token.id), code(item), codes(givers.map((manifest) => manifest.name)), getDocstring(item)]
  })
  return table(['Point', 'Id', 'Item', 'Contributed by', 'About the item'], rows)
}

export async function errorsTable(): Promise<string> {
  const all = [...(await errorCatalogs())].flatMap(([owner, catalog]) => {
    return Object.entries(catalog).map(([name, text]) => ({ name, owner, text }))
  })
  all.sort((a, b) => byText(a.name, b.name))
  const rows = all.map(({ name, owner, text }) => [code(name), owner, text])
  return table(['Code', 'Owner', 'What happened and what to do'], rows)
}

/** What the kernel reads. Those of plugins are in their `plugin.json`. */
const kernelVariables: Readonly<Record<string, string>> = {
  FORCE_COLOR: 'Colours even where the output is no terminal; `0` says nothing.',
  HOME: 'The folder that holds `.svc`, unless `SVC_HOME` is set.',
  LOCALAPPDATA: 'The same on Windows.',
  NODE_OPTIONS: 'Read by Node; with options of its engine svc keeps compiled code of its own for them.',
  NO_COLOR: 'No colours.',
  SVC_AUDIT: '`1` counts timers, sockets, watchers and child processes per plugin; it costs speed.',
  SVC_ENABLE_PROJECT_PLUGINS:
    '`1`, `true`, `yes` or `on` finds plugins in `.svc/plugins` of the working folder. Off by default.',
  SVC_HOME: 'The folder for config, secrets, data and logs.',
  SVC_LOG: 'The least level that is written to the log: `debug`, `info` (default), `warn`, `error`.',
  SVC_PROFILE:
    'The profile of commands without `-p`, before the one that `svc profile use` chose. svc sets it for what it starts.',
  SVC_PROFILE_OF:
    'The SVC_HOME that `SVC_PROFILE` is about: with another one it does not count. svc sets it for what it starts.',
  TERM: '`dumb` turns colours off.',
}

export function environmentTable(): string {
  const read = kernelReads()
  const known = Object.keys(kernelVariables)
  if (read.join() !== known.join())
    throw new Error(`the kernel reads ${read.join(', ')}; sdk-tables.ts describes ${known.join(', ')}`)
  const own = Object.entries(kernelVariables).map(([name, text]) => [code(name), kernelOwner.name, '', text])
  const ofPlugins = manifests().flatMap((manifest) => {
    return (manifest.env ?? []).map((each) => [
      code(each.name),
      code(manifest.name),
      each.secret ? 'yes' : '',
      each.description,
    ])
  })
  return table(['Variable', 'Read by', 'Secret', 'What it does'], [...own, ...ofPlugins])
}

/** Names in `env['NAME']` and `env.NAME` of the kernel's sources, sorted. */
function kernelReads(): string[] {
  const names = sourcesBelow(...rooms).flatMap((file) => {
    return [...walk(source(file).tree)].flatMap(({ node }) => {
      if (node.type !== 'MemberExpression') return []
      const object = node['object']
      const from = getName(object) ?? (isNode(object) ? getName(object['property']) : undefined)
      const name = literal(node['property']) ?? getName(node['property']) ?? ''
      return from === 'env' && /^[A-Z][A-Z0-9_]+$/.test(name) ? [name] : []
    })
  })
  return [...new Set(names)].sort()
}
