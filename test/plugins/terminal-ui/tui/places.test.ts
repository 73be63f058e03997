import type { PluginContext } from 'svc/sdk'
import { Plugins } from 'svc/sdk/host'
import { KeyBindings, StatusItems, Widgets } from 'svc/sdk/terminal'
import { fakeProvider, testKernel } from 'svc/sdk/testing'
import { describe, expect, it, onTestFinished } from 'vitest'
import { stage } from './stage.ts'

const plugin = (setup: (ctx: PluginContext<never>) => void, name = 'visitor') => ({ name, setup })

describe('widgets', () => {
  it('stand at the top, around the place where one types, and at the end of the screen', async () => {
    const places = plugin((ctx) => {
      for (const place of ['header', 'above', 'below', 'footer'] as const)
        ctx.add(Widgets, { name: place, place, lines: () => [[{ text: `in the ${place}` }]] })
    })
    const on = await stage(fakeProvider([]), { with: [places] })
    const lines = on.text().split('\n')
    const row = (text: string) => lines.findIndex((line) => line.includes(text))
    expect(lines[0]).toBe(' in the header')
    expect(row('in the above')).toBeLessThan(row('❯'))
    expect(row('in the below')).toBe(row('❯') + 1)
    expect(lines.at(-1)).toBe(' in the footer')
    expect(lines.at(-2)).toContain('fake-1')
    expect(on.screen.picture.cursor).toEqual({ row: row('❯'), column: 3 })
    expect(lines).toHaveLength(24)
    Object.assign(on.screen, { rows: 11 })
    on.screen.put({ type: 'resize' })
    await on.drawn()
    expect(on.text()).not.toContain('in the')
  })

  it('that draw far too much leave room for the conversation and the place where one types', async () => {
    const greedy = plugin((ctx) => {
      for (const place of ['header', 'above', 'below', 'footer'] as const)
        ctx.add(Widgets, { name: place, place, lines: () => Array.from({ length: 10_000 }, () => [{ text: place }]) })
    })
    const on = await stage(fakeProvider([]), { with: [greedy] })
    const lines = on.text().split('\n')
    expect(lines).toHaveLength(24)
    const count = (text: string) => lines.filter((line) => line.trim() === text).length
    expect(['header', 'above', 'below', 'footer'].map(count)).toEqual([3, 6, 3, 3])
    expect(on.text()).toContain('❯')
  })

  it('are drawn again when they say that they changed, and are not followed after the interface ended', async () => {
    let text = 'one'
    const changed = new Set<() => void>()
    const ticking = plugin((ctx) => {
      const onChange = (listener: () => void) => {
        changed.add(listener)
        return () => void changed.delete(listener)
      }
      ctx.add(Widgets, { name: 'ticking', lines: () => [[{ text: `widget ${text}` }]], onChange })
      ctx.add(StatusItems, { name: 'ticking', line: () => `item ${text}`, onChange })
    })
    const on = await stage(fakeProvider([]), { with: [ticking] })
    expect(on.text()).toContain('widget one')
    text = 'two'
    await on.drawn()
    expect(on.text()).toContain('widget one')
    expect(changed.size).toBe(2)
    for (const tell of changed) tell()
    await on.drawn()
    expect(on.text()).toContain('widget two')
    expect(on.text()).toContain('item two')
    await on.key('C-q')
    await on.code
    expect(changed.size).toBe(0)
  })
})

describe('items of the status bar', () => {
  const own = plugin((ctx) => {
    ctx.add(StatusItems, { name: 'short-model', order: 1, replaces: ['model', 'other'], line: () => 'SHORT' })
    ctx.add(StatusItems, { name: 'other', line: () => 'other' })
    ctx.add(StatusItems, { name: 'silent', replaces: ['tokens', 'third'], line: () => undefined })
    ctx.add(StatusItems, { name: 'third', line: () => 'third' })
  })
  const bar = (text: string) => text.split('\n').at(-1)

  it('replace others while they have a line, also those of the bar itself', async () => {
    const on = await stage(fakeProvider([]), { with: [own] })
    expect(bar(on.text())).toBe(' SHORT │ third')
  })

  it('are left out by the user, with those of the bar itself', async () => {
    const on = await stage(fakeProvider(['ok']), {
      with: [own],
      display: { hidden_status: ['short-model', 'tokens', 'context'] },
    })
    await on.type('hi', 'enter')
    await on.settled()
    expect(bar(on.text())).toBe(' fake-1 │ other │ third')
  })
})

describe('keys of plugins', () => {
  it('that send, stop, leave or answer are refused', async () => {
    for (const key of ['enter', 'Escape', 'ctrl+c', 'C-d', 'ctrl-q']) {
      const kernel = await testKernel({
        plugins: ['tui'],
        with: [plugin((ctx) => void ctx.add(KeyBindings, { key, description: 'x', run: () => {} }))],
      })
      onTestFinished(() => kernel.stop())
      expect(kernel.problems().map(({ message }) => message)).toEqual([
        expect.stringContaining(`has the key "${key}", which is reserved`),
      ])
    }
  })

  it('that take the place of one of the screen work, and are reported by the name of the plugin', async () => {
    const pressed: string[] = []
    const keys = plugin((ctx) => {
      ctx.add(KeyBindings, { key: 'ctrl+t', description: 'Note it', run: () => void pressed.push('C-t') })
      ctx.add(KeyBindings, { key: 'f7', description: 'Nothing else', run: () => void pressed.push('f7') })
    })
    const on = await stage(fakeProvider([]), { with: [keys], plugins: ['tui-panes'], config: {} })
    await on.key('C-t', 'f7')
    await on.drawn()
    expect(pressed).toEqual(['C-t', 'f7'])
    const problems = on.kernel.use(Plugins).problems()
    expect(problems.map(({ plugin: name, code, message }) => `${name} ${code} ${message}`)).toEqual([
      'visitor KEY_SHADOWED its key C-t (Note it) takes the place of the one that folds and unfolds tool calls',
    ])
  })
})
