import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { BeforeToolCall, SelectTools, SlashCommands, Tools } from 'svc/sdk'
import { ConfigFile, type RegisteredTool, Toolsets, unreachablePerson } from 'svc/sdk/host'
import { fakeToolTurn, fakeTurn, testKernel } from 'svc/sdk/testing'
import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { config as schema } from '../../../../plugins/tools/toolsets/config.ts'
import { keepOn, offReason } from '../../../../plugins/tools/toolsets/rules.ts'
import { ToolSwitches } from '../../../../plugins/tools/toolsets/switches.ts'

const tool = (name: string, toolset: string, more: Partial<RegisteredTool> = {}): RegisteredTool => ({
  name,
  toolset,
  reach: 'nothing',
  description: name,
  input: z.object({}),
  effect: 'pure',
  run: async () => name,
  ...more,
})

const ALL = [
  tool('read_file', 'file'),
  tool('write_file', 'file'),
  tool('terminal', 'terminal'),
  tool('web_search', 'web', { missing: () => 'needs a key', scope: { strangers: true } }),
  tool('web_extract', 'web', { scope: { strangers: true } }),
  tool('clarify', 'clarify', { scope: { strangers: true, notOn: ['api', 'cron'] } }),
  tool('send_message', 'messaging', { scope: { notOn: ['api', 'cron'] } }),
  tool('cronjob', 'cronjob', { scope: { notOn: ['cron'] } }),
  tool('x_search', 'x_search', { scope: { optIn: true } }),
]
const NAMES = ALL.map(({ name }) => name)

async function open(tools: object = {}) {
  const kernel = await testKernel({
    plugins: ['toolsets', 'approvals'],
    with: [
      {
        name: 'some-tools',
        contributes: { tools: NAMES },
        setup: (ctx) => {
          for (const each of ALL) ctx.add(Tools, each)
        },
      },
    ],
    config: { tools },
  })
  onTestFinished(() => kernel.stop())
  const offer = async (surface: string) => {
    const info = fakeTurn({ sessionId: 's', surface })
    return (await kernel.call(SelectTools, { offered: NAMES, deferred: [] }, info)).offered
  }
  return { kernel, toolsets: kernel.use(Toolsets), offer }
}

test('the terminal has every tool but those that are off unless they are named', async () => {
  const { offer } = await open()
  expect(await offer('cli')).toEqual(NAMES.filter((name) => name !== 'x_search'))
  expect(await (await open({ enabled: ['x_search'] })).offer('cli')).toEqual(NAMES)
})

test('an API cannot ask back, a scheduled run plans no others, and a webhook only reads', async () => {
  const { offer } = await open()
  expect(await offer('api')).toEqual(['read_file', 'write_file', 'terminal', 'web_search', 'web_extract', 'cronjob'])
  expect(await offer('cron')).toEqual(['read_file', 'write_file', 'terminal', 'web_search', 'web_extract'])
  expect(await offer('webhook')).toEqual(['web_search', 'web_extract', 'clarify'])
})

test('a tool that says nothing of where it belongs is held to what the others of its toolset say', () => {
  const others = [...ALL, tool('notify', 'messaging'), tool('x_post', 'x_search'), tool('web_post', 'web')]
  const switches = new ToolSwitches(schema.parse({}), () => others)
  const isOn = (name: string, surface: string) =>
    switches.offReason(others.find((each) => each.name === name) ?? tool(name, name), surface) === undefined
  expect(isOn('notify', 'api')).toBe(false)
  expect(isOn('notify', 'cli')).toBe(true)
  expect(isOn('x_post', 'cli')).toBe(false)
  // Only the tool itself can say that strangers may use it.
  expect(isOn('web_post', 'webhook')).toBe(false)
  expect(isOn('web_post', 'api')).toBe(true)
})

test('what is off is denied too, should a model call it although it was not told of it', async () => {
  const { kernel } = await open({ disabled: ['write_file'] })
  const verdict = (name: string, surface: string) => {
    const found = ALL.find((each) => each.name === name) ?? tool(name, name)
    return kernel.call(BeforeToolCall, { name, input: {}, acts: {}, tool: found, turn: fakeToolTurn({ surface }) })
  }
  expect(await verdict('write_file', 'cli')).toMatchObject({
    decision: 'deny',
    reason: 'write_file is off here: tools.disabled names it',
  })
  expect(await verdict('terminal', 'webhook')).toMatchObject({ allow: false })
  expect(await verdict('terminal', 'cli')).toBeUndefined()
})

test('what is opened in general stays closed for webhooks, until it is opened for them by name', async () => {
  const general = await open({ enabled: ['terminal'] })
  expect(await general.offer('webhook')).not.toContain('terminal')
  const named = await open({ surfaces: { webhook: { enabled: ['read_file'] } } })
  expect(await named.offer('webhook')).toEqual(['read_file', 'web_search', 'web_extract', 'clarify'])
})

test('a tool that is named outweighs its toolset, and off everywhere outweighs on somewhere', async () => {
  const { offer } = await open({
    disabled: ['file', 'terminal'],
    enabled: ['read_file'],
    surfaces: { cli: { enabled: ['terminal'] } },
  })
  const names = await offer('cli')
  expect(names).toContain('read_file')
  expect(names).not.toContain('write_file')
  expect(names).not.toContain('terminal')
})

test('a deferred tool is switched off like any other, and what no one knows is off', async () => {
  const { kernel } = await open({ disabled: ['terminal'] })
  const info = fakeTurn({ sessionId: 's' })
  const offer = { offered: ['read_file', 'ghost'], deferred: ['terminal', 'web_extract'] }
  expect(await kernel.call(SelectTools, offer, info)).toEqual({ offered: ['read_file'], deferred: ['web_extract'] })
})

test('the list says what is off and why, and what is missing', async () => {
  const { toolsets } = await open({ disabled: ['write_file'] })
  const list = toolsets.list('webhook')
  expect(list.map(({ name, on }) => `${on ? '+' : '-'}${name}`).join(' ')).toBe(
    '+clarify -cronjob -file -messaging -terminal +web -x_search',
  )
  expect(list.find(({ name }) => name === 'web')?.tools).toEqual([
    { name: 'web_extract', on: true },
    { name: 'web_search', on: true, missing: 'needs a key' },
  ])
  expect(list.find(({ name }) => name === 'terminal')?.because).toBe('the surface webhook goes without it')
  const file = toolsets.list('cli').find(({ name }) => name === 'file')
  expect(file).toMatchObject({ on: true, because: 'tools.disabled names it' })
})

test('switching writes as little as it takes', async () => {
  const { toolsets } = await open({ disabled: ['terminal', 'read_file'], enabled: ['write_file'] })
  expect(toolsets.edits([{ name: 'terminal', to: 'on' }])).toEqual([{ path: 'tools.disabled', value: ['read_file'] }])
  expect(toolsets.edits([{ name: 'terminal', to: 'off' }])).toEqual([])
  expect(toolsets.edits([{ name: 'web', to: 'on' }])).toEqual([])
  expect(toolsets.edits([{ name: 'x_search', to: 'on' }])).toEqual([
    { path: 'tools.enabled', value: ['write_file', 'x_search'] },
  ])
  expect(toolsets.edits([{ name: 'file', to: 'off' }])).toEqual([
    { path: 'tools.enabled', value: undefined },
    { path: 'tools.disabled', value: ['terminal', 'read_file', 'file'] },
  ])
  expect(toolsets.edits([{ name: 'terminal', to: 'off' }], 'my.chat')).toEqual([
    { path: 'tools.surfaces."my.chat".disabled', value: ['terminal'] },
  ])
})

test('what is off everywhere cannot be switched on for one surface, and unknown names are refused', async () => {
  const { toolsets } = await open({ disabled: ['terminal', 'termnal'] })
  expect(() => toolsets.edits([{ name: 'terminal', to: 'on' }], 'cli')).toThrow(/tools.disabled names it/)
  expect(() => toolsets.edits([{ name: 'bogus', to: 'off' }])).toThrow(/no toolset and no tool "bogus"/)
  expect(toolsets.unknown()).toEqual(['termnal'])
  expect(toolsets.edits([{ name: 'termnal', to: 'on' }])).toEqual([{ path: 'tools.disabled', value: ['terminal'] }])
})

test('/tools shows and switches, for this conversation and in config.yaml', async () => {
  const { kernel, offer } = await open()
  const type = (args: string) => {
    const command = kernel.all(SlashCommands).get('tools')
    return command?.run(args, {
      sessionId: 's',
      surface: 'cli',
      cwd: '/',
      signal: new AbortController().signal,
      conversation: {} as never,
      person: unreachablePerson,
    })
  }
  const list = await type('')
  expect(list).toMatch(/^\*\*On\*\*\n\n- \*\*clarify\*\*: `clarify`\n/)
  expect(list).toContain('- **file**: `read_file`, `write_file`\n')
  expect(list).toContain('\n\n**Off**\n\n- **x_search**: `x_search` · ')
  // The line after a list is not one of it.
  expect(list).toMatch(/\n\nType \/tools enable [^\n]*$/)
  expect(await type('disable file, terminal')).toBe(
    'Off from your next message: `file`, `terminal`. `svc config undo` takes it back.',
  )
  expect(await offer('cli')).not.toContain('read_file')
  expect(readFileSync(join(kernel.home, 'config.yaml'), 'utf8')).toMatch(/disabled:/)
  expect(await type('disable file')).toBe('Nothing was changed.')
  expect(await type('enable file')).toBe('On from your next message: `file`. `svc config undo` takes it back.')
  expect(await offer('cli')).toContain('read_file')
  const elsewhere = { author: 'test', reason: 'another process' }
  await kernel.use(ConfigFile).write([{ path: 'tools.disabled', value: ['web', 'clarify'] }], elsewhere)
  await type('enable web')
  expect(await offer('cli')).not.toContain('clarify')
  expect(await offer('cli')).toContain('web_extract')
  expect(await type('enable bogus')).toBe('Not changed: There is no toolset and no tool "bogus".')
  expect(await type('enable')).toMatch(/^Type \/tools/)
})

const word = fc.constantFrom('file', 'read_file', 'terminal', 'web', 'x_search', 'clarify', '__proto__')
const lists = fc.record({ enabled: fc.array(word, { maxLength: 3 }), disabled: fc.array(word, { maxLength: 3 }) })
const surface = fc.constantFrom('cli', 'api', 'webhook', 'cron', 'telegram', '__proto__', 'constructor')

test('whatever is configured, nothing switched off everywhere and named itself is ever offered', () => {
  fc.assert(
    fc.property(lists, fc.dictionary(surface, lists), surface, (general, surfaces, at) => {
      const config = schema.parse({ ...general, surfaces })
      const find = (name: string) => ALL.find((each) => each.name === name)
      const kept = keepOn({ offered: NAMES, deferred: NAMES }, find, (each) => offReason(each, at, config))
      expect(kept.offered).toEqual(kept.deferred)
      for (const name of kept.offered) expect(general.disabled).not.toContain(name)
    }),
  )
})

test('switching a tool off and on again, one way or the other, ends where it says', () => {
  const to = fc.constantFrom('on' as const, 'off' as const)
  const config = schema.parse({})
  expect(offReason({ name: 'a', toolset: 'b' }, 'anything', config)).toBeUndefined()
  fc.assert(
    fc.property(lists, fc.constantFrom('file', 'read_file', 'terminal', 'x_search'), to, (general, name, way) => {
      const before = schema.parse(general)
      const edits = new ToolSwitches(before, () => ALL).edits([{ name, to: way }])
      const after = { ...before }
      for (const { path, value } of edits)
        after[path === 'tools.enabled' ? 'enabled' : 'disabled'] = (value ?? []) as string[]
      for (const each of ALL.filter((one) => one.name === name || one.toolset === name))
        expect(offReason(each, '', after) === undefined).toBe(way === 'on')
    }),
  )
})

test('messages of machines may use what says so, what is fit for strangers, and what the user names for the platform', () => {
  const tools = [
    { ...tool('feed', 'home'), scope: { events: true } },
    { ...tool('lamp', 'home'), scope: { events: true, optIn: true } },
    { ...tool('look', 'web'), scope: { strangers: true } },
    { ...tool('shell', 'terminal'), scope: { core: true } },
    tool('odd', 'odd'),
  ]
  const on = (config: object, surface = 'house') => {
    const switches = new ToolSwitches(
      schema.parse(config),
      () => tools,
      (name) => (name === 'house' ? 'machines' : 'people'),
    )
    return tools.map(({ name }) => name).filter((_, at) => !switches.offReason(tools[at] as (typeof tools)[0], surface))
  }
  expect(on({})).toEqual(['feed', 'look'])
  expect(on({ enabled: ['lamp', 'shell'] })).toEqual(['feed', 'lamp', 'look'])
  expect(on({ surfaces: { house: { enabled: ['shell'], disabled: ['feed'] } } })).toEqual(['look', 'shell'])
  expect(on({}, 'cli')).toEqual(['feed', 'look', 'shell', 'odd'])
})

test('the list of all tools is read once for an offer, however many tools it has', () => {
  let readings = 0
  const switches = new ToolSwitches(schema.parse({}), () => {
    readings++
    return ALL
  })
  const isOff = switches.judge('cli')
  expect(ALL.filter((each) => isOff(each) !== undefined).map(({ name }) => name)).toEqual(['x_search'])
  expect(readings).toBe(1)
})
