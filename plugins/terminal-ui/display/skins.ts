/** The looks that svc brings. */
import type { TextStyle, Theme, ThemeColor, ThemeDefinition } from 'svc/sdk/terminal'
import { type Palette, paint } from './palette.ts'

/** How a skin is written down here. */
interface SkinDefinition {
  readonly name: string
  readonly description: string
  readonly light?: true
  readonly palette: Palette
  readonly faces: readonly string[]
  readonly verbs: readonly string[]
  readonly prompt?: string
  readonly toolPrefix?: string
  readonly welcome?: string
  readonly goodbye?: string
}

const calmFaces = ['(・_・)', '(・_・ )', '( ・_・)', '( ・_・)ゞ']
const calmVerbs = ['thinking', 'reading', 'weighing', 'sorting', 'looking closer', 'connecting', 'checking']

const looks: readonly SkinDefinition[] = [
  {
    name: 'default',
    description: 'Gold and bronze on dark',
    palette: {
      text: '#e8e2d0',
      dim: '#9a9384',
      title: '#ffd700',
      border: '#cd7f32',
      accent: '#ffbf3f',
      second: '#e6b87d',
      keyword: '#f0a35e',
      string: '#b5cf8f',
      number: '#e8c468',
      name: '#8fc7e8',
      type: '#d9a5e0',
      ok: '#8fce7a',
      warning: '#ffbf3f',
      error: '#ff7b6b',
      chosen: '#4a3a1e',
      bar: '#1a1a2e',
    },
    faces: calmFaces,
    verbs: calmVerbs,
  },
  {
    name: 'ares',
    description: 'Crimson and old brass, for the arena',
    palette: {
      text: '#ece0d1',
      dim: '#a08f82',
      title: '#c7a96b',
      border: '#9f1c1c',
      accent: '#e86a4f',
      second: '#d9b27c',
      keyword: '#f07f5e',
      string: '#c9c07a',
      number: '#e8b24f',
      name: '#e0b89a',
      type: '#d99a9a',
      ok: '#a8bf6a',
      warning: '#e8b24f',
      error: '#ff6f61',
      chosen: '#521616',
      bar: '#2a1010',
    },
    faces: ['(ง •̀_•́)ง', '(•̀o•́)ง', '(ง •̀o•́)', '(•̀_•́)'],
    verbs: ['marching', 'flanking', 'sharpening', 'scouting', 'holding the line', 'striking'],
    prompt: '⚔',
    toolPrefix: '╎',
    welcome: 'The field is yours.',
    goodbye: 'Shields down.',
  },
  {
    name: 'mono',
    description: 'Greys only',
    palette: {
      text: '#e6edf3',
      dim: '#949ba3',
      title: '#e6edf3',
      border: '#555555',
      accent: '#ffffff',
      second: '#c3cad1',
      keyword: '#ffffff',
      string: '#b6bdc5',
      number: '#d0d7de',
      name: '#e6edf3',
      type: '#c3cad1',
      ok: '#d0d7de',
      warning: '#e6edf3',
      error: '#ffffff',
      chosen: '#3a3f45',
      bar: '#1f2328',
    },
    faces: ['(-_-)', '(-_- )', '( -_-)', '( -_-)'],
    verbs: ['thinking', 'reading', 'comparing', 'writing'],
  },
  {
    name: 'slate',
    description: 'Cool blue, easy on the eyes',
    palette: {
      text: '#d7e0ec',
      dim: '#8d9bb0',
      title: '#7eb8f6',
      border: '#4169e1',
      accent: '#8ec5ff',
      second: '#9fb8e0',
      keyword: '#9aa8ff',
      string: '#94d3b5',
      number: '#e0c48f',
      name: '#7fd0e8',
      type: '#c5a8f0',
      ok: '#7fd6a0',
      warning: '#f0c674',
      error: '#ff8f8f',
      chosen: '#23406b',
      bar: '#17202e',
    },
    faces: ['(￣ー￣)', '(￣ω￣)', '(￣▽￣)', '(￣へ￣)'],
    verbs: ['thinking', 'tracing', 'mapping', 'measuring', 'drafting', 'reviewing'],
  },
  {
    name: 'daylight',
    description: 'Blue ink on white',
    light: true,
    palette: {
      text: '#0f172a',
      dim: '#566275',
      title: '#0f172a',
      border: '#2563eb',
      accent: '#1d4ed8',
      second: '#1e429f',
      keyword: '#7e22ce',
      string: '#166534',
      number: '#9a3412',
      name: '#1e40af',
      type: '#0f5f73',
      ok: '#166534',
      warning: '#854d0e',
      error: '#b91c1c',
      chosen: '#cfe0ff',
      bar: '#e2e8f0',
    },
    faces: ['(＾▽＾)', '(＾ω＾)', '(＾o＾)', '(＾_＾)'],
    verbs: ['thinking', 'reading', 'sketching', 'tidying', 'checking'],
    toolPrefix: '│',
  },
  {
    name: 'warm-lightmode',
    description: 'Brown ink on paper',
    light: true,
    palette: {
      text: '#3b2a12',
      dim: '#6e5b3f',
      title: '#5c3d11',
      border: '#8b6914',
      accent: '#8a4b08',
      second: '#744210',
      keyword: '#8f2d56',
      string: '#4a5d16',
      number: '#97420c',
      name: '#2f4f7f',
      type: '#55408a',
      ok: '#3f6212',
      warning: '#854d0e',
      error: '#a61b1b',
      chosen: '#f0d9a8',
      bar: '#efe3cb',
    },
    faces: ['(´・ω・`)', '(´・ω・)', '(・ω・`)', '(´･ᴗ･`)'],
    verbs: ['thinking', 'leafing', 'brewing', 'jotting', 'musing'],
  },
  {
    name: 'poseidon',
    description: 'Foam on deep water',
    palette: {
      text: '#dcf0ff',
      dim: '#86a3b8',
      title: '#a9dfff',
      border: '#2a6fb9',
      accent: '#5fd0f0',
      second: '#8fc8ea',
      keyword: '#7fb3ff',
      string: '#8fe0c8',
      number: '#f0d58f',
      name: '#6fdde8',
      type: '#b8b0ff',
      ok: '#7fe0b0',
      warning: '#f0d070',
      error: '#ff8c8c',
      chosen: '#123f66',
      bar: '#0d2438',
    },
    faces: ['~(˘▾˘~)', '(~˘▾˘)~', '~(˘▾˘)~', '(~˘▾˘~)'],
    verbs: ['diving', 'sounding', 'drifting', 'charting', 'stirring the deep', 'surfacing'],
    prompt: 'Ψ',
    toolPrefix: '│',
    welcome: 'The sea is calm.',
    goodbye: 'Fair winds.',
  },
  {
    name: 'sisyphus',
    description: 'Bare stone, one push after another',
    palette: {
      text: '#f0f0f0',
      dim: '#999999',
      title: '#f5f5f5',
      border: '#b7b7b7',
      accent: '#e0d8c8',
      second: '#cfc8bb',
      keyword: '#e0c8a8',
      string: '#c0ccb0',
      number: '#d8c8a0',
      name: '#c8d0d8',
      type: '#d0c0d0',
      ok: '#b5d0a5',
      warning: '#e5c88a',
      error: '#f09a8a',
      chosen: '#45423d',
      bar: '#232220',
    },
    faces: ['(._.)o', '(._.) o', '(._.)  o', '(°o°)   o'],
    verbs: ['pushing', 'climbing', 'resting a moment', 'starting over', 'nearly there'],
    prompt: '◉',
    toolPrefix: '│',
    welcome: 'The hill awaits.',
    goodbye: 'It rolls down again.',
  },
  {
    name: 'charizard',
    description: 'Embers and flame',
    palette: {
      text: '#fff0e0',
      dim: '#b0937f',
      title: '#ffd39a',
      border: '#c75b1d',
      accent: '#ff9a4f',
      second: '#ffbf80',
      keyword: '#ff9f6b',
      string: '#d8d080',
      number: '#ffcf5f',
      name: '#8fd0d8',
      type: '#f0a8b0',
      ok: '#a8d070',
      warning: '#ffcf5f',
      error: '#ff7f6b',
      chosen: '#5a2a10',
      bar: '#2a160c',
    },
    faces: ['(`皿´)', '(`皿´)~', '(`ω´)~*', '(`ω´)'],
    verbs: ['kindling', 'blazing', 'circling', 'breathing deep', 'forging'],
    prompt: '✦',
    toolPrefix: '│',
    welcome: 'The fire is lit.',
    goodbye: 'Embers out.',
  },
]

/** Whose looks others are made from: on a dark and on a light background. */
export const DEFAULT_SKIN: Theme = createSkin(getSkinDefinition('default'))
export const LIGHT_SKIN: Theme = createSkin(getSkinDefinition('daylight'))

/** Names with a few words each, in the order they are listed. */
export const builtInSkins: readonly { readonly name: string; readonly description: string }[] = looks

/** The skin with this name; undefined when none is built in. */
export function builtInSkin(name: string): Theme | undefined {
  const found = looks.find((each) => each.name === name)
  return found && createSkin(found)
}

/** The theme of a plugin, completed with the default one. */
export function completeTheme({ name, description = name, light = false, colors, ...more }: ThemeDefinition): Theme {
  const base = light ? LIGHT_SKIN : DEFAULT_SKIN
  const roles = Object.keys(base.colors) as ThemeColor[]
  const merged = roles.map((role): readonly [ThemeColor, TextStyle] => [
    role,
    { ...base.colors[role], ...readStyle(colors[role]) },
  ])
  const spinner = { ...base.spinner, ...more.spinner }
  return {
    name,
    description,
    light,
    colors: Object.fromEntries(merged) as Theme['colors'],
    spinner: {
      faces: spinner.faces.length > 0 ? spinner.faces : base.spinner.faces,
      verbs: spinner.verbs.length > 0 ? spinner.verbs : base.spinner.verbs,
    },
    branding: { ...base.branding, ...more.branding },
    toolPrefix: more.toolPrefix ?? base.toolPrefix,
  }
}

function readStyle(given: TextStyle | string | undefined): TextStyle | undefined {
  return typeof given === 'string' ? { color: given } : given
}

/** Whether it may be the name of a skin of the user, which is that of a file: nothing that leads elsewhere. */
export function isSkinName(name: string): boolean {
  return /^[\p{L}\p{N}][\p{L}\p{N}._ -]{0,63}$/u.test(name)
}

function getSkinDefinition(name: string): SkinDefinition {
  return looks.find((each) => each.name === name) as SkinDefinition
}

function createSkin({ name, description, light, palette, faces, verbs, ...more }: SkinDefinition): Theme {
  return {
    name,
    description,
    light: light ?? false,
    colors: paint(palette),
    spinner: { faces, verbs },
    branding: {
      name: 'svc',
      welcome: more.welcome ?? 'What shall we do?',
      goodbye: more.goodbye ?? 'Until next time.',
      prompt: more.prompt ?? '❯',
    },
    toolPrefix: more.toolPrefix ?? '┊',
  }
}
