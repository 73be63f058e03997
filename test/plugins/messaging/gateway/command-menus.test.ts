/** The menu of a chat service follows the commands: plugins that are loaded and unloaded, and providers that say so. */
import { type SlashCommand, SlashCommands } from 'svc/sdk'
import { CommandProviders, type InlinePlugin, Plugins } from 'svc/sdk/host'
import { fakePlatform, virtualClock } from 'svc/sdk/testing'
import { expect, test, vi } from 'vitest'
import { stage } from './stage.ts'

const command = (name: string, more: Partial<SlashCommand> = {}): SlashCommand => ({
  ...{ name, description: `Does ${name}.`, run: () => undefined },
  ...more,
})

/** Skills that come and go. */
function skills() {
  const listeners = new Set<() => void>()
  const all: SlashCommand[] = []
  const plugin: InlinePlugin = {
    name: 'skills',
    contributes: { 'command-sources': ['skills'] },
    setup: (ctx) =>
      void ctx.add(CommandProviders, {
        name: 'skills',
        commands: () => all,
        onChange: (listener) => {
          listeners.add(listener)
          return () => void listeners.delete(listener)
        },
      }),
  }
  return {
    plugin,
    listeners,
    set: (...commands: SlashCommand[]) => {
      all.splice(0, all.length, ...commands)
      for (const listener of listeners) listener()
    },
  }
}

const late: InlinePlugin = {
  name: 'late',
  contributes: { 'slash-commands': ['late'] },
  setup: (ctx) => void ctx.add(SlashCommands, command('late')),
}

test('a connected platform is shown the commands, and again when a plugin is unloaded and loaded', async () => {
  const clock = virtualClock()
  const { fake, kernel } = await stage([], { clock, platform: { can: { menu: true } }, with: [late] })
  await vi.waitFor(() => expect(fake.menus).toHaveLength(1))
  expect(fake.menus[0]).toEqual(expect.arrayContaining(['new', 'late']))
  await kernel.use(Plugins).disable('late')
  await clock.advance(2000)
  await vi.waitFor(() => expect(fake.menus).toHaveLength(2))
  expect(fake.menus[1]).not.toContain('late')
  await kernel.use(Plugins).enable('late')
  await clock.advance(2000)
  await vi.waitFor(() => expect(fake.menus.at(-1)).toContain('late'))
})

test('a skill that arrives is in the menu, several changes are one, and what stays the same is not sent again', async () => {
  const clock = virtualClock()
  const { plugin, set } = skills()
  const { fake } = await stage([], { clock, platform: { can: { menu: true } }, with: [plugin] })
  await vi.waitFor(() => expect(fake.menus).toHaveLength(1))
  set(command('draw'))
  await clock.advance(1000)
  set(command('draw'), command('sing'), command('only-here', { surfaces: ['cli'] }))
  await clock.advance(1999)
  expect(fake.menus).toHaveLength(1)
  await clock.advance(1)
  await vi.waitFor(() => expect(fake.menus).toHaveLength(2))
  expect(fake.menus[1]).toEqual(expect.arrayContaining(['draw', 'sing']))
  expect(fake.menus[1]).not.toContain('only-here')
  set(command('draw'), command('sing'))
  await clock.advance(5000)
  expect(fake.menus).toHaveLength(2)
})

test('a menu that could not be shown is tried again at the next change and when the platform is connected again', async () => {
  const clock = virtualClock()
  const { plugin, set } = skills()
  const { fake, gateway } = await stage([], { clock, platform: { can: { menu: true } }, with: [plugin] })
  await vi.waitFor(() => expect(fake.menus).toHaveLength(1))
  fake.failSends(new Error('not now'))
  set(command('draw'))
  await clock.advance(2000)
  expect(fake.menus).toHaveLength(1)
  set(command('draw'))
  await clock.advance(2000)
  await vi.waitFor(() => expect(fake.menus).toHaveLength(2))
  await gateway.resume('fake')
  await vi.waitFor(() => expect(fake.menus).toHaveLength(3))
  expect(fake.menus[2]).toEqual(fake.menus[1])
})

test('a platform of another plugin without a menu is left alone, and a closed gateway shows nothing more', async () => {
  const clock = virtualClock()
  const { plugin, set, listeners } = skills()
  const other = fakePlatform({ name: 'other', can: { menu: true } })
  const { fake, gateway, kernel } = await stage([], { clock, with: [plugin, other.plugin] })
  await vi.waitFor(() => expect(other.menus).toHaveLength(1))
  expect(fake.menus).toEqual([])
  set(command('draw'))
  await gateway.stop()
  await clock.advance(5000)
  expect(other.menus).toHaveLength(1)
  await kernel.stop()
  expect(listeners.size).toBe(0)
})
