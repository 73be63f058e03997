import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PluginFailed } from 'svc/sdk/hooks'
import { ConfigFile, type PluginProblem } from 'svc/sdk/host'
import { Display } from 'svc/sdk/terminal'
import { testKernel } from 'svc/sdk/testing'
import { expect, onTestFinished, test } from 'vitest'
import { removeFolder } from '../../../support/remove-folder.ts'

/** A kernel over a real config.yaml, which it is told to read again by `again`. */
async function open(yaml = '') {
  const home = mkdtempSync(join(tmpdir(), 'svc-display-'))
  onTestFinished(() => removeFolder(home))
  const file = join(home, 'config.yaml')
  writeFileSync(file, yaml)
  mkdirSync(join(home, 'skins'))
  const problems: PluginProblem[] = []
  const kernel = await testKernel({
    home,
    plugins: ['display'],
    with: [
      {
        name: 'watcher',
        setup: (ctx) => void ctx.on(PluginFailed, (problem) => void problems.push(problem)),
      },
    ],
  })
  onTestFinished(() => kernel.stop())
  const display = () => kernel.use(Display)
  return {
    kernel,
    display,
    problems,
    yaml: () => readFileSync(file, 'utf8'),
    edit: async (text: string) => {
      writeFileSync(file, text)
      // Switching a plugin on reads the configuration, as following the file does.
      await kernel.plugins.enable('display')
    },
    skinFile: (name: string, text: string) => writeFileSync(join(home, 'skins', `${name}.yaml`), text),
  }
}

test('nothing has to be configured', async () => {
  const { display } = await open()
  expect(display().settings()).toEqual({
    interface: 'tui',
    hidden_status: [],
    language: 'en',
    skin: 'default',
    show_cost: false,
    show_reasoning: false,
    timestamps: false,
    statusbar: true,
    compact: false,
    tool_progress: 'all',
    tool_time: true,
    transcripts: true,
    inline_diffs: true,
    busy_input_mode: 'steer',
    bell_on_complete: false,
    mouse: true,
    resume_display: 'full',
    indicator: 'unicode',
  })
  expect(display().skin()).toMatchObject({ name: 'default', light: false, toolPrefix: '┊' })
})

test('a surface has what display.platforms says of it, and the rest of the block', async () => {
  const { display } = await open(
    'display:\n  timestamps: true\n  platforms:\n    telegram: { tool_progress: "off", show_cost: true }\n',
  )
  expect(display().settings('telegram')).toMatchObject({ timestamps: true, tool_progress: 'off', show_cost: true })
  expect(display().settings('cli')).toMatchObject({ timestamps: true, tool_progress: 'all', show_cost: false })
  expect(display().settings('__proto__')).toEqual({ ...display().settings(), busy_input_mode: 'interrupt' })
})

test('what is set for now ends with the process, and what is saved stands in config.yaml with its comments', async () => {
  const { display, yaml } = await open('# mine\ndisplay:\n  compact: true # small screen\n')
  await display().set('timestamps', true, 'now')
  expect(display().settings().timestamps).toBe(true)
  expect(yaml()).toBe('# mine\ndisplay:\n  compact: true # small screen\n')
  await display().set('skin', 'slate', 'saved')
  expect(yaml()).toBe('# mine\ndisplay:\n  compact: true # small screen\n  skin: slate\n')
  expect(display().skin().name).toBe('slate')
})

test('what is saved can be undone', async () => {
  const { kernel, display, yaml, edit } = await open()
  await display().set('busy_input_mode', 'queue', 'saved')
  await edit(yaml())
  expect(display().settings().busy_input_mode).toBe('queue')
  await kernel.plugins.bring(ConfigFile)
  await kernel.use(ConfigFile).undo()
  await edit(yaml())
  expect(display().settings().busy_input_mode).toBe('steer')
  expect(display().settings('telegram').busy_input_mode).toBe('interrupt')
})

test('a surface with a value of its own keeps it where it is written', async () => {
  const { display, yaml } = await open('display:\n  platforms:\n    cli:\n      timestamps: false\n')
  await display().set('timestamps', true, 'saved', 'cli')
  await display().set('compact', true, 'saved', 'cli')
  expect(yaml()).toBe('display:\n  platforms:\n    cli:\n      timestamps: true\n  compact: true\n')
  expect(display().settings('cli')).toMatchObject({ timestamps: true, compact: true })
  expect(display().settings('api')).toMatchObject({ timestamps: false, compact: true })
})

test('an edit of config.yaml holds at once, and keeps what was set for now and is not in the edit', async () => {
  const { kernel, display, edit } = await open('display:\n  skin: ares\n')
  const [first, generation] = [display(), () => kernel.plugins.info('display')?.generation]
  await first.set('timestamps', true, 'now')
  await first.set('skin', 'poseidon', 'now')
  await edit('display:\n  skin: ares\n  show_cost: true\n')
  expect(generation()).toBe(2)
  expect(display().settings()).toMatchObject({ timestamps: true, skin: 'poseidon', show_cost: true })
  expect(display().skin().name).toBe('poseidon')
  await edit('display:\n  skin: mono\n  show_cost: true\n')
  expect(display().settings()).toMatchObject({ timestamps: true, skin: 'mono' })
  expect(display().skin().name).toBe('mono')
  // Anyone who holds the service since before sees the same.
  expect(first.settings()).toEqual(display().settings())
  expect(first.skin()).toEqual(display().skin())
})

test('listeners are told of what is set, of what is edited, and no more once they left', async () => {
  const { display, edit } = await open()
  const told: string[] = []
  const leave = display().onChange(() => void told.push(display().settings().skin))
  await display().set('skin', 'ares', 'now')
  await display().set('skin', 'slate', 'saved')
  await edit('display:\n  skin: mono\n')
  expect([...new Set(told)]).toEqual(['ares', 'slate', 'mono'])
  const before = told.length
  await leave()
  await display().set('skin', 'ares', 'now')
  expect(told).toHaveLength(before)
})

test('a listener that fails keeps no one else from being told', async () => {
  const { display } = await open()
  let told = 0
  display().onChange(() => {
    throw new Error('broken')
  })
  display().onChange(() => void told++)
  await display().set('compact', true, 'now')
  expect(told).toBe(1)
})

test.for([
  ['tool_progress', 'loud', 'DISPLAY_VALUE'],
  ['timestamps', 'yes', 'DISPLAY_VALUE'],
  ['timestamps', undefined, 'DISPLAY_VALUE'],
  ['colour', 'red', 'DISPLAY_VALUE'],
  ['constructor', 'red', 'DISPLAY_VALUE'],
  ['skin', 'neon', 'SKIN_UNKNOWN'],
  ['skin', '../config', 'SKIN_UNKNOWN'],
  ['skin', '../../etc/passwd\0', 'SKIN_UNKNOWN'],
] as const)('%s cannot be %s, and nothing is changed', async ([key, value, code]) => {
  const { display, yaml } = await open('display: {}\n')
  const before = display().settings()
  await expect(display().set(key as 'skin', value as never, 'saved')).rejects.toMatchObject({ code })
  expect(display().settings()).toEqual(before)
  expect(yaml()).toBe('display: {}\n')
})

test('a config.yaml that cannot be read is not written, and nothing is changed', async () => {
  const { display, edit, yaml } = await open()
  await edit('display: {skin: [\n')
  await expect(display().set('skin', 'ares', 'saved')).rejects.toMatchObject({ code: 'CONFIG_UNREADABLE' })
  expect(display().skin().name).toBe('default')
  expect(yaml()).toBe('display: {skin: [\n')
})

test('a block that does not fit leaves what was in force', async () => {
  const { display, edit } = await open('display:\n  skin: ares\n')
  await edit('display:\n  skin: ares\n  indicator: 7\n').catch(() => undefined)
  expect(display().settings()).toMatchObject({ skin: 'ares', indicator: 'unicode' })
})

test('a skin of config.yaml that does not exist is reported, and the default one shown', async () => {
  const { display, problems } = await open('display:\n  skin: neon\n')
  expect(display().skin().name).toBe('default')
  expect(problems.map(({ message }) => message)).toEqual([
    'There is no skin "neon". `/skin` lists them. The default skin is shown instead.',
  ])
})

test('the spinner has the faces of the indicator, and with kaomoji those of the skin', async () => {
  const { display } = await open()
  const faces = async (indicator: 'kaomoji' | 'ascii' | 'unicode' | 'emoji') => {
    await display().set('indicator', indicator, 'now')
    return display().skin().spinner.faces
  }
  expect(await faces('ascii')).toEqual(['|', '/', '-', '\\'])
  expect(await faces('unicode')).toContain('⠋')
  expect(await faces('emoji')).toContain('🌕')
  expect((await faces('kaomoji')).every((face) => face.includes('('))).toBe(true)
  expect(display().skin()).toBe(display().skin())
})

test('a skin of the user stands beside the built-in ones, and before one of its name', async () => {
  const { display, skinFile, edit } = await open()
  skinFile('night', 'description: Blue\ncolors:\n  title: "#112233"\n')
  skinFile('ares', 'colors:\n  title: { color: "#445566", italic: true }\n')
  await display().set('skin', 'ares', 'now')
  expect(display().skin().colors.title).toEqual({ color: '#445566', bold: true, italic: true })
  await edit('display:\n  skin: night\n')
  await display().set('skin', 'night', 'now')
  expect(display().skin()).toMatchObject({
    name: 'night',
    description: 'Blue',
    colors: { title: { color: '#112233' } },
  })
})
