/** What the open full screen shows when plugins that take part in it are reloaded or switched off. */
import type { PluginContext } from 'svc/sdk'
import { Composers, Overlays } from 'svc/sdk/terminal'
import { fakeProvider } from 'svc/sdk/testing'
import { expect, test } from 'vitest'
import { stage } from './stage.ts'

/** A plugin with a screen that counts how often it was opened and closed. */
function clockwork() {
  const counts = { opened: 0, closed: 0, keys: 0 }
  const plugin = {
    name: 'clockwork',
    contributes: { screens: ['clockwork'] },
    setup: (ctx: PluginContext<never>) =>
      void ctx.add(Overlays, {
        name: 'clockwork',
        title: 'Clockwork',
        open() {
          const number = ++counts.opened
          return {
            lines: () => [[{ text: `tick ${number}` }]],
            input: () => {
              counts.keys++
              return 'taken' as const
            },
            keys: 'Esc close',
            close: () => void counts.closed++,
          }
        },
      }),
  }
  return { counts, plugin }
}

const opener = {
  name: 'opener',
  contributes: { 'key-bindings': ['f9'] },
  async setup(ctx: PluginContext<never>) {
    const { KeyBindings } = await import('svc/sdk/terminal')
    ctx.add(KeyBindings, { key: 'f9', description: 'Show it', screen: 'clockwork', run: (ui) => ui.show('clockwork') })
  },
}

test('the screen of a plugin that is switched off is closed, and its code is called no more', async () => {
  const { counts, plugin } = clockwork()
  const { key, seen, kernel, drawn, text } = await stage(fakeProvider(['hi']), {
    with: [plugin as never, opener as never],
  })
  await key('f9')
  await seen('tick 1')
  await kernel.plugins.disable('clockwork')
  await drawn()
  expect(text()).not.toContain('tick')
  await key('x')
  expect(counts).toEqual({ opened: 1, closed: 1, keys: 0 })
})

test('the screen of a plugin that is reloaded is opened by its new generation', async () => {
  const { counts, plugin } = clockwork()
  const { key, seen, kernel } = await stage(fakeProvider(['hi']), { with: [plugin as never, opener as never] })
  await key('f9')
  await seen('tick 1')
  await kernel.plugins.reload('clockwork')
  await seen('tick 2')
  expect(counts).toMatchObject({ opened: 2, closed: 1 })
})

test('commands of the screen work after the plugins around it were reloaded', async () => {
  const { type, settled, kernel, screen } = await stage(fakeProvider(['the answer']))
  await type('hello', 'enter')
  await settled()
  for (const name of ['display', 'conversation', 'tui-transcript', 'tui', 'approvals'])
    await kernel.plugins.reload(name)
  await type('/copy', 'enter')
  await settled()
  expect(screen.said).toContain('copy the answer')
})

test('a draft moves to the composer of another plugin', async () => {
  const label = { text: 'first' }
  const plugin = {
    name: 'other-composer',
    provides: ['composers'],
    setup(ctx: PluginContext<never>) {
      const shown = label.text
      ctx.provide(Composers, () => ({
        async open() {
          let draft = ''
          return {
            get empty() {
              return draft === ''
            },
            get text() {
              return draft
            },
            input(input) {
              if (input.type !== 'text') return 'ignored'
              draft += input.text
              return 'taken'
            },
            lines: () => ({ lines: [[{ text: `${shown}: ${draft}` }]], cursor: { row: 0, column: 0 } }),
            take() {
              const text = draft
              draft = ''
              return { text, images: [] }
            },
            clear() {
              draft = ''
            },
            insert(text) {
              draft += text
            },
            set(text) {
              draft = text
            },
            attach: async () => {},
            openEditor: async () => {},
            field: () => ({
              ...{ isEmpty: true, text: '', before: '', insert: () => {}, key: () => false, move: () => false },
              view: () => ({ lines: [], cursor: { row: 0, column: 0 } }),
            }),
            close: async () => {},
            [Symbol.asyncDispose]: async () => {},
          }
        },
      }))
    },
  }
  const { apart } = await import('./stage.ts')
  const { type, seen, kernel } = await stage(fakeProvider(['hi']), {
    with: [plugin as never],
    config: { plugins: { disabled: [...apart, 'tui-composer'] } },
  })
  await type('half a thought')
  await seen('first: half a thought')
  label.text = 'second'
  await kernel.plugins.reload('other-composer')
  await seen('second: half a thought')
})
