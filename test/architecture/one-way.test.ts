/**
 * One way to do a thing, over the whole SDK: an author who knows one point, registration or option guesses the next. A new
 * declaration that does otherwise fails here; what is listed by name has its reason beside it.
 */
import { expect, test } from 'vitest'
import { exists, filesBelow, read } from '../support/repository.ts'
import { getName, isNode, listExports, type Node, parse, source, walk } from '../support/syntax.ts'

const files = filesBelow('sdk').filter((file) => file.endsWith('.ts') && !/^sdk\/(testing|entries)/.test(file))

interface Member {
  readonly owner: string
  readonly name: string
  readonly doc: string
  readonly node: Node
  readonly text: string
}

/** The members of all exported interfaces of the SDK, those of object types within them too. */
const members: readonly Member[] = files.flatMap((file) => listMembers(file, read(file)))

function listMembers(file: string, text: string): Member[] {
  const { tree } = parse(file, text)
  return (tree['body'] as readonly Node[]).flatMap((statement) => {
    const declaration = statement['declaration']
    if (statement.type !== 'ExportNamedDeclaration' || !isNode(declaration)) return []
    const owner = getName(declaration['id']) ?? ''
    const found = [...walk(declaration)].filter(({ node }) => /^TS(Property|Method)Signature$/.test(node.type))
    return found.map(({ node }) => {
      const before = text.slice(0, node.start).trimEnd()
      const doc = before.endsWith('*/') ? before.slice(before.lastIndexOf('/**')) : ''
      return { owner, name: getName(node['key']) ?? '', doc, node, text: text.slice(node.start, node.end) }
    })
  })
}

const label = ({ owner, name }: Member) => `${owner}.${name}`

/** What an interface extends, by its name. */
const heritage = new Map(
  files.flatMap((file) =>
    [...walk(source(file).tree)].flatMap(({ node }) => {
      if (node.type !== 'TSInterfaceDeclaration') return []
      const { text } = source(file)
      const bases = ((node['extends'] ?? []) as readonly Node[]).map((base) => text.slice(base.start, base.end))
      return [[getName(node['id']) ?? '', bases] as const]
    }),
  ),
)

/** The item of each point, as its token names it: what authors write. */
const items = files.flatMap((file) =>
  listExports(file).flatMap(({ declaration }) => {
    const code = declaration.replace(/\/\*[\s\S]*?\*\//g, '')
    const [, inside] = /^export const \w+: ExtensionPoint<([\s\S]*?)>\s*=/.exec(code) ?? []
    if (inside === undefined) return []
    const last =
      inside
        .replace(/\s+/g, ' ')
        .split(/, (?![^<]*>)/)
        .at(-1) ?? ''
    return [
      last
        .trim()
        .replace(/^(Omit|Registered)</, '')
        .replace(/[<,\s|].*/, ''),
    ]
  }),
)

test('the items of all points have an order, and it is said in one place', () => {
  expect(items.length).toBeGreaterThan(20)
  expect(items.filter((item) => !heritage.get(item)?.includes('Ordered'))).toEqual([])
  const own = members.filter(({ owner, name }) => name === 'order' && items.includes(owner))
  expect(own.map(label)).toEqual([])
})

/** What authors give to svc: any function ends it. A timer is cancelled, it is no registration. */
const GIVEN = [
  'StatusItem.onChange',
  'CommandProvider.onChange',
  'Widget.onChange',
  'SharedView.onChange',
  // In the frame of a page, with which it ends.
  'DashboardPageClient.onState',
  'PluginContext.setup',
  'Plugin.setup',
  'Clock.after',
]

test('what svc returns for a registration is a Registration', () => {
  const returning = members.filter(({ text }) =>
    /\): (Promise<)?(Dispose|\(\) => void( \| Promise<void>)?)>?;?$/.test(text),
  )
  expect(returning.map(label).filter((name) => !GIVEN.includes(name))).toEqual([])
})

/** Authors write these for svc, and svc calls `close`. An answer of the network needs no end once it was read. */
const CLOSED_BY_SVC = ['Platform', 'ConnectionSlot', 'ShellEnvironment', 'OverlayView', 'StandInService', 'NetResponse']

test('what has an end can be declared with using', () => {
  const ending = members.filter(({ name, node }) => /^(close|release)$/.test(name) && node['optional'] !== true)
  const owners = [...new Set(ending.map(({ owner }) => owner))].filter((owner) => !CLOSED_BY_SVC.includes(owner))
  expect(owners.length).toBeGreaterThan(8)
  const without = owners.filter((owner) => !heritage.get(owner)?.some((base) => /^(Async)?Disposable$/.test(base)))
  expect(without).toEqual([])
})

/** They end when the plugin does, are over at once, or are given to the item. */
const WITHOUT_SIGNAL = [
  'Platform.connect',
  'Platform.close',
  'TranslationSource.texts',
  'SignInFlow.ask',
  'StandIn.open',
  // The request of the socket has one.
  'DashboardSocket.handle',
]

test('whatever an item of a point does for a while gets a signal', () => {
  const long = members.filter(({ owner, text }) => items.includes(owner) && /\): (Promise|AsyncIterable)</.test(text))
  expect(long.length).toBeGreaterThan(10)
  const without = long.filter(({ text }) => !/signal|: [A-Z]\w*(Context|Request|Draft)\b/.test(text))
  expect(without.map(label).filter((name) => !WITHOUT_SIGNAL.includes(name))).toEqual([])
})

test('durations are in milliseconds and say so; moments are named as moments', () => {
  const numbers = members.filter(({ text }) => /\??: number( \| undefined)?;?$/.test(text))
  const durations = numbers.filter(({ doc }) => /milliseconds|\bseconds\b/i.test(doc))
  const wrong = durations.filter(
    ({ name }) => !/Ms$|At$|^at$|[sS]ince$|Before$|After$|^oldest$|^now$|^monotonic$/.test(name),
  )
  expect(wrong.map(label).filter((name) => !KEPT_DURATIONS.includes(name))).toEqual([])
  const odd = numbers.filter(({ name }) => /(Seconds|Minutes|Hours|Millis|Timeout|Interval|Delay)$/.test(name))
  expect(odd.map(label)).toEqual([])
})

/** A cap of the config block `budgets`, which has seconds. */
const KEPT_DURATIONS = ['BudgetLimits.seconds']

test('a time limit that a caller sets is timeoutMs', () => {
  const limits = members.filter(
    ({ name, text }) => /^(limitMs|deadlineMs|maxMs|timeout)$/.test(name) && !/\{/.test(text),
  )
  // A backoff has a first and a longest wait; the token of a hook has the word that copies of SDK 0.1 know; one is a verb.
  const kept = ['BackoffPolicy.maxMs', 'Hook.limitMs', 'PluginContext.timeout']
  expect(
    limits
      .filter(({ doc }) => !doc.includes('@deprecated'))
      .map(label)
      .filter((name) => !kept.includes(name)),
  ).toEqual([])
})

test('the rules read what they should', () => {
  const text =
    '/** D */\nexport interface A {\n  /** Milliseconds. */\n  readonly wait?: number\n  stop(): () => void\n}\n'
  expect(listMembers('a.ts', text).map(label)).toEqual(['A.wait', 'A.stop'])
  expect(exists('sdk/declarations.ts')).toBe(true)
})
