import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Display, type DisplaySettings } from 'svc/sdk/terminal'
import { type FakePerson, fakeTalk, testKernel } from 'svc/sdk/testing'
import { expect, onTestFinished, test } from 'vitest'

async function open(options: { person?: FakePerson; config?: object; without?: string[]; commands?: 'gateway' } = {}) {
  const { person, config, without = [], commands } = options
  const kernel = await testKernel({
    plugins: ['conversation'],
    config: { ...config, plugins: { disabled: without } },
  })
  onTestFinished(() => kernel.stop())
  const talk = fakeTalk(kernel, { ...(person && { person }), ...(commands && { commands }) })
  const file = join(kernel.home, 'config.yaml')
  return {
    ...talk,
    home: kernel.home,
    setting: (key: keyof DisplaySettings) => kernel.use(Display).settings('cli')[key],
    yaml: () => (existsSync(file) ? readFileSync(file, 'utf8') : ''),
    completions: async (text: string) => (await talk.conversation.complete(text)).map((each) => each.text),
  }
}

test('/skin lists the looks and marks the one that is shown; a name changes it, for later runs too', async () => {
  const { type, setting, yaml } = await open()
  expect(await type('/skin')).toMatch(/`display\.skin` is `default`\.\n\n- \*\*`default`\*\* Gold.*\n- `ares` /)
  expect(await type('/skin slate')).toContain('`display.skin` is `slate` now, saved in config.yaml.')
  expect(setting('skin')).toBe('slate')
  expect(yaml()).toContain('skin: slate')
  expect(await type('/skin')).toContain('**`slate`**')
})

test('a light skin says that it wants a light terminal, a dark one says nothing', async () => {
  const { type } = await open()
  expect(await type('/skin daylight')).toMatch(/\n\nIt is made for a light background[^\n]*$/)
  expect(await type('/skin slate')).not.toContain('background')
})

test('a front end with lists asks which skin, and nothing chosen changes nothing', async () => {
  const { type, setting } = await open({ person: { choose: 'ares' } })
  expect(await type('/skin')).toContain('`ares` now')
  expect(setting('skin')).toBe('ares')
})

test('a name with a typo is answered with the one that is near', async () => {
  const { type, setting } = await open()
  expect(await type('/skin posiedon')).toContain('Unknown value `posiedon`. Did you mean `poseidon`?')
  expect(await type('/skin neon lights in the night')).not.toContain('Did you mean')
  expect(await type('/busy qeue')).toContain('Did you mean `queue`?')
  expect(await type('/language germn')).toContain('Unknown value `germn`.')
  expect(setting('skin')).toBe('default')
})

test('a skin of the user that is broken says why, and the look stays', async () => {
  const { type, setting, home } = await open()
  mkdirSync(join(home, 'skins'))
  writeFileSync(join(home, 'skins', 'mine.yaml'), 'colors: { text: red }\n')
  writeFileSync(join(home, 'skins', 'fine.yaml'), 'description: Fine\n')
  expect(await type('/skin')).toContain('- `fine` Fine\n- `mine` skins/mine.yaml cannot be used: colors.text')
  expect(await type('/skin mine')).toContain('skins/mine.yaml cannot be used: colors.text: a colour is written')
  expect(setting('skin')).toBe('default')
  expect(await type('/skin fine')).toContain('`fine` now')
})

test('/verbose goes round: nothing, new tools, all, with results', async () => {
  const { type, setting } = await open()
  const seen = []
  for (let turn = 0; turn < 4; turn++) {
    await type('/verbose')
    seen.push(setting('tool_progress'))
  }
  expect(seen).toEqual(['verbose', 'off', 'new', 'all'])
  expect(await type('/verbose off')).toContain('`off`: no tool calls are shown')
})

test('/timestamps, or /ts, switches over, and status changes nothing', async () => {
  const { type, setting } = await open()
  expect(await type('/ts')).toContain('`display.timestamps` is `on` now')
  expect(setting('timestamps')).toBe(true)
  expect(await type('/timestamps status')).toBe('`display.timestamps` is `on`.')
  await type('/timestamps off')
  expect(setting('timestamps')).toBe(false)
})

test('/busy and /indicator name what there is, with what it does or looks like', async () => {
  const { type, setting } = await open()
  expect(await type('/busy')).toContain('- `interrupt` stops the turn under way\n- `queue` waits')
  await type('/busy QUEUE')
  expect(setting('busy_input_mode')).toBe('queue')
  expect(await type('/indicator')).toContain('- `ascii` | / - \\')
  await type('/indicator ascii')
  expect(setting('indicator')).toBe('ascii')
})

test('/language takes a locale, one with a region, or a name, and answers in it', async () => {
  const { type, setting } = await open()
  expect(await type('/language')).toContain('- **`en`** English\n- `es` Español')
  expect(await type('/language de-AT')).toContain('ist jetzt')
  expect(setting('language')).toBe('de')
  expect(await type('/language Español')).toContain('ahora')
  expect(setting('language')).toBe('es')
  expect(await type('/language zh-TW')).toContain('config.yaml')
  expect(setting('language')).toBe('zh-hant')
})

test('chats have /language and none of those for the terminal', async () => {
  const { type } = await open({ commands: 'gateway' })
  expect(await type('/language')).toContain('`display.language` is `en`.')
  for (const command of ['/skin', '/timestamps', '/indicator', '/busy'])
    expect(await type(`${command} status`)).not.toContain('display.')
})

test('what the terminal has of its own is changed there', async () => {
  const { type, setting } = await open({ config: { display: { platforms: { cli: { timestamps: true } } } } })
  expect(await type('/timestamps off')).toContain('`display.platforms.cli.timestamps` is `off` now')
  expect(setting('timestamps')).toBe(false)
})

test('what cannot be saved holds until the end, and the answer says so', async () => {
  const { type, setting } = await open({ without: ['config'] })
  expect(await type('/busy steer')).toBe(
    '`display.busy_input_mode` is `steer` until svc ends. It could not be saved: Nothing here can write config.yaml.',
  )
  expect(setting('busy_input_mode')).toBe('steer')
})

test('arguments are completed', async () => {
  const { completions } = await open()
  expect(await completions('/skin s')).toEqual(['slate', 'sisyphus'])
  expect(await completions('/busy ')).toEqual(['interrupt', 'queue', 'steer', 'status'])
  expect(await completions('/timestamps o')).toEqual(['off', 'on'])
  expect(await completions('/language zh')).toEqual(['zh', 'zh-hant'])
  expect(await completions('/indicator kao')).toEqual(['kaomoji'])
})

test('/footer shows what a turn cost, and in a chat changes the value of that chat alone where it has one', async () => {
  const { type, setting } = await open()
  expect(await type('/footer on')).toContain('`display.show_cost` is `on` now')
  expect(setting('show_cost')).toBe(true)
  const chat = await open({ commands: 'gateway', config: { display: { platforms: { cli: { show_cost: true } } } } })
  expect(await chat.type('/footer status')).toMatch(/`display\.platforms\.\S+\.show_cost`|`display\.show_cost`/)
})
