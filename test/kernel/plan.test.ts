import fc from 'fast-check'
import type { Manifest, PluginOrigin } from 'svc/sdk/host'
import { findPluginToEnable } from 'svc/sdk/host'
import { expect, test } from 'vitest'
import { type Omission, plan } from '../../kernel/plan.ts'
import type { PluginRecord } from '../../kernel/plugin-record.ts'

type Fields = Partial<Manifest> & { readonly origin?: PluginOrigin; readonly problem?: string }

/** A plugin as discovery finds it. */
function found(name: string, { origin = 'built-in', problem, ...fields }: Fields = {}): PluginRecord {
  const manifest = { name, version: '1.0.0', sdk: '*', kind: 'tool', description: 'x', ...fields }
  return { manifest, origin, dir: `/plugins/${name}`, ...(problem ? { problem } : {}) }
}

const reasonsIn = (leftOut: ReadonlyMap<string, Omission>) =>
  Object.fromEntries([...leftOut].map(([name, { reason }]) => [name, reason]))

/** Names in the order to load, and the reasons of the others. */
function planned(
  all: readonly PluginRecord[],
  names: readonly string[],
  more: Partial<Parameters<typeof plan>[1]> = {},
) {
  const { load, leftOut } = plan(all, { names, ...more })
  return { load: load.map(({ manifest }) => manifest.name), leftOut: reasonsIn(leftOut) }
}

test('a plugin brings those that provide what it requires, and they come first', () => {
  const all = [
    found('chat', { requires: ['agent'] }),
    found('agent', { provides: ['agent'], requires: ['sessions'] }),
    found('sessions', { provides: ['sessions'] }),
    found('telegram'),
  ]
  expect(planned(all, ['chat'])).toEqual({ load: ['sessions', 'agent', 'chat'], leftOut: {} })
})

test('companions come along with a service, also with one that a companion brought', () => {
  const all = [
    found('logger', { with: ['shell'] }),
    found('tool', { with: ['agent'], provides: ['shell'] }),
    found('lonely', { with: ['kanban'] }),
    found('agent', { provides: ['agent'] }),
  ]
  expect(planned(all, ['agent'])).toEqual({ load: ['agent', 'tool', 'logger'], leftOut: {} })
})

test('a service that is only optional brings its provider when there is one', () => {
  const chat = found('chat', { optional: ['control'] })
  expect(planned([chat], ['chat']).load).toEqual(['chat'])
  expect(planned([chat, found('control', { provides: ['control'] })], ['chat']).load).toEqual(['control', 'chat'])
})

test('an optional provider that cannot be loaded does not keep the plugin from being loaded', () => {
  const all = [
    found('chat', { optional: ['control'] }),
    found('control', { provides: ['control'], requires: ['gone'] }),
  ]
  expect(planned(all, ['chat'])).toEqual({ load: ['chat'], leftOut: { control: 'nothing provides "gone"' } })
})

test('an optional provider may need the very plugin that would like to have it', () => {
  const all = [
    found('agent', { provides: ['agent'], optional: ['budget'] }),
    found('budget', { provides: ['budget'], requires: ['agent'] }),
  ]
  expect(planned(all, ['agent'])).toEqual({ load: ['agent', 'budget'], leftOut: {} })
  expect(planned(all, ['budget'])).toEqual({ load: ['agent', 'budget'], leftOut: {} })
})

test('two plugins may like to have each other', () => {
  const all = [found('a', { provides: ['a'], optional: ['b'] }), found('b', { provides: ['b'], optional: ['a'] })]
  expect(planned(all, ['a']).load.sort()).toEqual(['a', 'b'])
})

test('what the kernel itself gives needs no plugin', () => {
  const all = [found('timer', { requires: ['clock'] })]
  expect(planned(all, ['timer'], { given: new Set(['clock']) }).load).toEqual(['timer'])
  expect(planned(all, ['timer']).leftOut).toEqual({ timer: 'nothing provides "clock"' })
})

test('a missing service leaves out all that need it, each with its own reason; the rest is loaded', () => {
  const all = [
    found('front', { requires: ['middle'] }),
    found('middle', { provides: ['middle'], requires: ['back'] }),
    found('other'),
  ]
  expect(planned(all, ['front', 'other'])).toEqual({
    load: ['other'],
    leftOut: {
      middle: 'nothing provides "back"',
      front: '"middle" is not available: middle is left out: nothing provides "back"',
    },
  })
})

test('plugins that require each other in a circle are left out, and the circle is spelled out', () => {
  const all = [
    found('a', { provides: ['a'], requires: ['b'] }),
    found('b', { provides: ['b'], requires: ['c'] }),
    found('c', { provides: ['c'], requires: ['a'] }),
    found('other'),
  ]
  const { load, leftOut } = planned(all, ['a', 'other'])
  expect(load).toEqual(['other'])
  expect(Object.keys(leftOut).sort()).toEqual(['a', 'b', 'c'])
  expect(leftOut['a']).toBe('it requires itself: a > b > c > a')
})

test('a plugin that requires what it provides itself is a circle of one', () => {
  const all = [found('a', { provides: ['a'], requires: ['a'] })]
  expect(planned(all, ['a']).leftOut).toEqual({ a: 'it requires itself: a > a' })
})

test('a plugin that no one has is said to be unknown', () => {
  expect(planned([], ['ghost']).leftOut).toEqual({ ghost: 'no plugin has this name' })
})

test('a plugin with a problem is left out with it, whatever needs it', () => {
  const all = [
    found('broken', { provides: ['x'], problem: 'plugin.json is not JSON' }),
    found('user', { requires: ['x'] }),
  ]
  expect(planned(all, ['user', 'broken']).leftOut).toEqual({
    broken: 'plugin.json is not JSON',
    user: '"x" is not available: broken is left out: plugin.json is not JSON',
  })
})

test('a disabled plugin is left out and the way back is told', () => {
  const disabled = new Set(['tool'])
  expect(planned([found('tool')], ['tool'], { disabled }).leftOut['tool']).toContain('svc plugins enable tool')
})

test('whatever rests on a disabled plugin, however indirectly, names it and the way back', () => {
  const all = [
    found('front', { requires: ['middle'] }),
    found('middle', { provides: ['middle'], requires: ['back'] }),
    found('back', { provides: ['back'], requires: ['store'] }),
    found('store', { provides: ['store'] }),
  ]
  const { leftOut } = planned(all, ['front'], { disabled: new Set(['store']) })
  const way = 'store is left out: disabled in config.yaml; svc plugins enable store'
  expect(leftOut['back']).toBe(`"store" is not available: ${way}`)
  expect(leftOut['front']).toBe(`"middle" is not available: back is left out: "store" is not available: ${way}`)
})

test.for(['home', 'npm', 'project'] as const)(
  'what comes from %s runs only once it is named in plugins.enabled',
  (origin) => {
    const all = [found('mine', { origin })]
    expect(planned(all, ['mine'])).toEqual({ load: [], leftOut: { mine: 'not enabled; svc plugins enable mine' } })
    const consents = new Map(all.map((each) => [each, undefined]))
    expect(planned(all, ['mine'], { enabled: new Set(['mine']), consents }).load).toEqual(['mine'])
  },
)

test.for(['home', 'npm', 'project'] as const)('the code of a plugin from %s runs only by consent', (origin) => {
  const [mine] = [found('mine', { origin, provides: ['x'] })]
  const enabled = new Set(['mine'])
  const notJudged = planned([mine], ['mine'], { enabled })
  expect(notJudged).toEqual({ load: [], leftOut: { mine: expect.stringContaining('svc plugins enable mine') } })
  const consents = new Map([[mine, 'its code changed since you agreed']])
  expect(planned([mine], ['mine'], { enabled, consents })).toEqual({
    load: [],
    leftOut: { mine: 'its code changed since you agreed' },
  })
  const other = new Map([[found('mine', { origin }), undefined]])
  expect(planned([mine], ['mine'], { enabled, consents: other }).load).toEqual([])
})

test('what must not run takes no name and no service from what may', () => {
  const all = [found('mine', { origin: 'home', provides: ['x'] }), found('fine', { provides: ['x'] })]
  const consents = new Map([[all[0] as PluginRecord, 'not agreed to']])
  expect(planned(all, ['fine'], { enabled: new Set(['mine']), consents }).load).toEqual(['fine'])
})

test('an opt-in plugin is off until it is named; what an embedding program brings is on', () => {
  const all = [found('risky', { optIn: true }), found('own', { origin: 'embedded' })]
  expect(planned(all, ['risky', 'own']).load).toEqual(['own'])
  expect(planned(all, ['risky'], { enabled: new Set(['risky']) }).load).toEqual(['risky'])
})

test('disabled wins over enabled', () => {
  const both = { enabled: new Set(['a']), disabled: new Set(['a']) }
  expect(planned([found('a')], ['a'], both).load).toEqual([])
})

test('of two that clash the first found stays, and the other is told with whom and over what', () => {
  const all = [
    found('first', { provides: ['box'], config: 'boxes' }),
    found('second', { provides: ['box'] }),
    found('third', { config: 'boxes' }),
    found('first', { origin: 'embedded' }),
  ]
  const { load, leftOut } = planned(all, ['first', 'second', 'third'])
  expect(load).toEqual(['first'])
  expect(leftOut['second']).toContain('it provides "box", as first does')
  expect(leftOut['third']).toContain('it owns the config block "boxes", as first does')
  expect(leftOut['first (embedded)']).toBe('a plugin of this name is there already (built-in)')
})

test('a plugin that stands in for a disabled one may have its name, its service and its block', () => {
  const fields = { provides: ['store'], config: 'store' }
  const all = [found('store', fields), found('my-store', { ...fields, origin: 'home' })]
  const consents = new Map(all.map((each) => [each, undefined]))
  const wanted = { enabled: new Set(['my-store']), disabled: new Set(['store']), consents }
  expect(planned(all, ['my-store'], wanted).load).toEqual(['my-store'])
})

test('of two that contribute one item the built-in one runs, whichever is asked for first, until it is switched off', () => {
  const plugins = [
    found('plan', { contributes: { 'slash-commands': ['plan'], tools: ['*'] } }),
    found('mine', { contributes: { 'slash-commands': ['plan'], tools: ['*'] }, origin: 'home' }),
  ]
  const wanted = { enabled: new Set(['mine']), consents: new Map(plugins.map((each) => [each, undefined])) }
  for (const names of [['mine', 'plan'], ['plan', 'mine'], ['mine']]) {
    const { load, leftOut } = planned(plugins, names, wanted)
    expect(load).not.toContain('mine')
    expect(leftOut['mine']).toBe('it adds slash-commands "plan", as plan does; to use it: svc plugins disable plan')
  }
  expect(planned(plugins, ['mine'], { ...wanted, disabled: new Set(['plan']) }).load).toEqual(['mine'])
})

test.for([
  ['a name that is an alias', { contributes: { 'slash-commands': ['q'] } }, 'slash-commands "q"'],
  ['an alias that is a name', { aliases: { 'slash-commands': ['queue'] } }, 'slash-commands "queue"'],
  ['an alias that is an alias', { aliases: { 'slash-commands': ['q'] } }, 'slash-commands "q"'],
  ['a shell command', { cli: [{ name: 'queue', description: 'Mine' }] }, 'the shell command "svc queue"'],
] as const)('%s belongs to the built-in plugin until that is disabled', ([, fields, what]) => {
  const plugins = [
    found('conversation', {
      contributes: { 'slash-commands': ['queue'] },
      aliases: { 'slash-commands': ['q'] },
      cli: [{ name: 'queue', description: 'Ours' }],
    }),
    found('later', { ...fields, origin: 'home' }),
  ]
  const wanted = { enabled: new Set(['later']), consents: new Map(plugins.map((each) => [each, undefined])) }
  const { load, leftOut } = planned(plugins, ['later', 'conversation'], wanted)
  expect(load).toEqual(['conversation'])
  expect(leftOut['later']).toBe(`it adds ${what}, as conversation does; to use it: svc plugins disable conversation`)
  expect(planned(plugins, ['later'], { ...wanted, disabled: new Set(['conversation']) }).load).toEqual(['later'])
})

/** Plugins `p0`, `p1`, ... that each provide a service of their name and need others at random. */
const plugins = fc
  .integer({ min: 1, max: 8 })
  .chain((count) => {
    const services = fc.subarray([...Array(count + 1).keys()].map((n) => `s${n}`))
    return fc.array(fc.record({ requires: services, optional: services, with: services }), {
      minLength: count,
      maxLength: count,
    })
  })
  .map((list) => list.map((fields, n) => found(`p${n}`, { ...fields, provides: [`s${n}`] })))

test('whatever plugins need: no one is loaded before or without what it requires, and no one is forgotten', () => {
  fc.assert(
    fc.property(plugins, fc.array(fc.nat(9), { maxLength: 3 }), (all, asked) => {
      const names = asked.map((n) => `p${n}`)
      const { load, leftOut } = plan(all, { names })
      const loaded = load.map(({ manifest }) => manifest.name)
      expect(new Set(loaded).size).toBe(loaded.length)
      for (const [at, { manifest }] of load.entries())
        for (const service of manifest.requires ?? []) expect(loaded.slice(0, at)).toContain(service.replace('s', 'p'))
      for (const name of names) expect(loaded.includes(name) || leftOut.has(name)).toBe(true)
      for (const name of leftOut.keys()) expect(loaded).not.toContain(name)
    }),
  )
})

test('a plugin that can be loaded is loaded: only missing services and circles stand in the way', () => {
  fc.assert(
    fc.property(plugins, (all) => {
      const names = all.map(({ manifest }) => manifest.name)
      const { load } = plan(all, { names })
      const possible = loadable(all)
      expect(load.map(({ manifest }) => manifest.name).sort()).toEqual(possible.sort())
    }),
  )
})

/** The largest set whose members require only each other, without a circle: found by adding one after the other. */
function loadable(all: readonly PluginRecord[]): string[] {
  const names = new Set<string>()
  for (let before = -1; before !== names.size; ) {
    before = names.size
    for (const { manifest } of all)
      if (manifest.requires?.every((service) => names.has(service.replace('s', 'p')))) names.add(manifest.name)
  }
  return [...names]
}

test('the cause of a plugin that is left out is data: what to switch on is found at the end of the chain', () => {
  const all = [
    found('store', { provides: ['store'] }),
    found('back', { provides: ['middle'], requires: ['store'] }),
    found('front', { requires: ['middle'] }),
    found('alone', { requires: ['nowhere'] }),
    found('broken', { problem: 'plugin.json lacks "kind"' }),
    found('mine', { origin: 'home' }),
    found('rival', { provides: ['store'], origin: 'embedded' }),
    found('round', { provides: ['round'], requires: ['round'] }),
  ]
  const names = all.map(({ manifest }) => manifest.name)
  const causes = (disabled: readonly string[]) =>
    new Map(
      [...plan(all, { names, disabled: new Set(disabled) }).leftOut].map(([name, { leftOut }]) => [name, leftOut]),
    )

  const plain = causes([])
  expect(plain.get('alone')).toEqual({ code: 'requires', service: 'nowhere' })
  expect(plain.get('broken')).toEqual({ code: 'invalid' })
  expect(plain.get('mine')).toEqual({ code: 'not-enabled' })
  expect(plain.get('rival')).toEqual({ code: 'conflict', owner: 'store', claim: 'service store' })
  expect(plain.get('round')).toEqual({ code: 'cycle', path: ['round', 'round'] })
  expect(plan(all, { names: ['ghost'] }).leftOut.get('ghost')?.leftOut).toEqual({ code: 'unknown' })
  expect(findPluginToEnable('alone', plain.get('alone'))).toBeUndefined()
  expect(findPluginToEnable('rival', plain.get('rival'))).toBeUndefined()
  expect(findPluginToEnable('mine', plain.get('mine'))).toBe('mine')

  const off = causes(['store', 'rival'])
  const cause = { code: 'disabled' }
  expect(off.get('store')).toEqual(cause)
  expect(off.get('back')).toEqual({ code: 'requires', service: 'store', plugin: 'rival', cause })
  expect(off.get('front')).toEqual({ code: 'requires', service: 'middle', plugin: 'rival', cause })
  expect(findPluginToEnable('front', off.get('front'))).toBe('rival')
})
