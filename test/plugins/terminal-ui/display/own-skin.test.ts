import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, expect, test } from 'vitest'
import { ownSkinNames, readOwnSkin } from '../../../../plugins/terminal-ui/display/own-skin.ts'
import { DEFAULT_SKIN, LIGHT_SKIN } from '../../../../plugins/terminal-ui/display/skins.ts'
import { removeFolder } from '../../../support/remove-folder.ts'

const home = mkdtempSync(join(tmpdir(), 'svc-skins-'))
afterAll(() => removeFolder(home))
let count = 0

/** The skin that a text makes. */
function read(text: string | Uint8Array) {
  const folder = join(home, `skins-${count++}`)
  mkdirSync(folder)
  writeFileSync(join(folder, 'mine.yaml'), text)
  return readOwnSkin(folder, 'mine')
}

function catchProblem(text: string | Uint8Array): string {
  try {
    read(text)
  } catch (error) {
    expect(error).toMatchObject({ code: 'SKIN_INVALID' })
    return (error as Error).message
  }
  return ''
}

test('what a skin leaves out is as in the default one, down to a single attribute', () => {
  expect(read('')).toEqual({ ...DEFAULT_SKIN, name: 'mine', description: '' })
  expect(
    read(`
description: Mine
colors:
  text: "#AABBCC"
  title: { underline: true }
  selected: { color: "#000000", background: "#ffffff", bold: false }
spinner: { thinking_verbs: [computing] }
branding: { prompt_symbol: ">", agent_name: robo }
tool_prefix: "|"
`),
  ).toEqual({
    name: 'mine',
    description: 'Mine',
    light: false,
    colors: {
      ...DEFAULT_SKIN.colors,
      text: { color: '#AABBCC' },
      title: { ...DEFAULT_SKIN.colors.title, underline: true },
      selected: { color: '#000000', background: '#ffffff', bold: false },
    },
    spinner: { faces: DEFAULT_SKIN.spinner.faces, verbs: ['computing'] },
    branding: { ...DEFAULT_SKIN.branding, prompt: '>', name: 'robo' },
    toolPrefix: '|',
  })
})

test('a skin for a light background begins with the light one', () => {
  expect(read('light: true\n')?.colors).toEqual(LIGHT_SKIN.colors)
})

test.for([
  ['colors: { text: red }', 'colors.text: a colour is written "#rrggbb", in quotes'],
  ['colors: { text: "#fff" }', 'colors.text: a colour is written "#rrggbb", in quotes'],
  ['colors: { text: { color: 12 } }', 'colors.text'],
  ['colors: { text: { blink: true } }', 'blink'],
  ['colors: { titel: "#ffffff" }', 'titel'],
  ['colour: {}', 'colour'],
  ['spinner: { thinking_faces: [] }', 'spinner.thinking_faces'],
  ['spinner: { thinking_faces: ["\\u001b[2J"] }', 'no control characters'],
  ['spinner: { thinking_verbs: ["two\\nlines"] }', 'no control characters'],
  ['branding: { prompt_symbol: "much too long" }', 'branding.prompt_symbol'],
  ['[1, 2]', 'expected object'],
  ['just a text', 'expected object'],
  ['description: x\ncolors: {text: [\n', 'line'],
  ['a: &a [x]\nb: [*a, *c]', 'c'],
  [`description: ${'x'.repeat(70_000)}`, 'larger than 64 kB'],
] as const)('%s is a clear problem', ([text, said]) => {
  expect(catchProblem(text)).toMatch(/^skins\/mine\.yaml cannot be used: /)
  expect(catchProblem(text)).toContain(said)
})

test('aliases that would grow without end are refused', () => {
  const levels = Array.from({ length: 9 }, (_, at) => {
    return `a${at + 1}: &a${at + 1} [${Array(9).fill(at === 0 ? 'x' : `*a${at}`)}]`
  })
  expect(catchProblem(`a0: x\n${levels.join('\n')}`)).toContain('alias')
})

test('whatever a file holds, there is a whole skin or a problem that names the file', () => {
  fc.assert(
    fc.property(fc.oneof(fc.uint8Array({ maxLength: 200 }), fc.string({ unit: 'binary', maxLength: 200 })), (text) => {
      const problem = catchProblem(text)
      if (problem !== '') expect(problem).toMatch(/^skins\/mine\.yaml cannot be used: ./)
      else expect(Object.keys(read(text)?.colors ?? {})).toEqual(Object.keys(LIGHT_SKIN.colors))
    }),
    { numRuns: 100 },
  )
})

test('a name never leads out of the folder', () => {
  const folder = join(home, 'inside')
  mkdirSync(join(folder, 'sub'), { recursive: true })
  writeFileSync(join(home, 'outside.yaml'), 'description: outside\n')
  writeFileSync(join(folder, 'sub', 'deep.yaml'), '')
  symlinkSync(join(home, 'outside.yaml'), join(folder, 'link.yaml'))
  for (const name of ['../outside', 'sub/deep', '/etc/passwd', '..', '', 'a\0b', '.hidden', 'x'.repeat(100)])
    expect(readOwnSkin(folder, name)).toBeUndefined()
  expect(() => readOwnSkin(folder, 'link')).toThrow('leads out of the folder')
  mkdirSync(join(folder, 'folder.yaml'))
  expect(() => readOwnSkin(folder, 'folder')).toThrow('not a file')
})

test('the files of the folder are listed by name, and a missing folder has none', () => {
  const folder = join(home, 'listed')
  expect(ownSkinNames(folder)).toEqual([])
  mkdirSync(folder)
  for (const name of ['b.yaml', 'a.yaml', 'notes.txt', '.x.yaml', 'é.yaml']) writeFileSync(join(folder, name), '')
  expect(ownSkinNames(folder)).toEqual(['a', 'b', 'é'])
})
