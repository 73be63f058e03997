import type { TextStyle, Theme, ThemeColor } from 'svc/sdk/terminal'
import { expect, test } from 'vitest'
import { builtInSkin, builtInSkins } from '../../../../plugins/terminal-ui/display/skins.ts'

/** What terminals stand on, from the darkest to a soft one, and the same for light. */
const DARK = ['#000000', '#1e1e1e', '#1e1e2e']
const LIGHT = ['#ffffff', '#fdf6e3']

/** Seen rather than read. */
const SHAPES: readonly ThemeColor[] = ['border']
/** May be fainter than what one reads all the time. */
const FAINT: readonly ThemeColor[] = ['dim', 'reasoning', 'comment', 'quote']

const skins = builtInSkins.map(({ name }) => builtInSkin(name) as Theme)

test('there are nine, each with a few words on it', () => {
  expect(builtInSkins.map(({ name }) => name)).toEqual([
    'default',
    'ares',
    'mono',
    'slate',
    'daylight',
    'warm-lightmode',
    'poseidon',
    'sisyphus',
    'charizard',
  ])
  for (const { description } of builtInSkins) expect(description).toMatch(/^[A-Z].{5,40}$/)
})

test('the titles, borders and signs by which they are known are theirs', () => {
  const known = Object.fromEntries(
    skins.map(({ name, colors, branding, toolPrefix }) => [
      name,
      [colors.title.color, colors.border.color, branding.prompt, toolPrefix].join(' '),
    ]),
  )
  expect(known).toEqual({
    default: '#ffd700 #cd7f32 ❯ ┊',
    ares: '#c7a96b #9f1c1c ⚔ ╎',
    mono: '#e6edf3 #555555 ❯ ┊',
    slate: '#7eb8f6 #4169e1 ❯ ┊',
    daylight: '#0f172a #2563eb ❯ │',
    'warm-lightmode': '#5c3d11 #8b6914 ❯ ┊',
    poseidon: '#a9dfff #2a6fb9 Ψ │',
    sisyphus: '#f5f5f5 #b7b7b7 ◉ │',
    charizard: '#ffd39a #c75b1d ✦ │',
  })
})

test.for(skins)('every text of $name can be read on the usual terminals', ({ colors, light }) => {
  const hard = (Object.entries(colors) as [ThemeColor, TextStyle][]).flatMap(([role, { color, background }]) => {
    const grounds = background ? [background] : light ? LIGHT : DARK
    const least = SHAPES.includes(role) ? 1.8 : FAINT.includes(role) ? 3 : 4.5
    return grounds
      .map((ground) => ({ ground, ratio: contrast(color ?? '', ground) }))
      .filter(({ ratio }) => !(ratio >= least))
      .map(({ ground, ratio }) => `${role} ${color} on ${ground}: ${ratio.toFixed(2)} < ${least}`)
  })
  expect(hard).toEqual([])
})

test.for(skins)('code of $name stands on one ground, whatever its parts', ({ colors }) => {
  const parts = ['code-block', 'keyword', 'string', 'number', 'comment', 'function', 'type'] as const
  expect(new Set(parts.map((role) => colors[role].background))).toEqual(new Set([undefined]))
})

test.for(skins)('good, doubtful and bad of $name are told apart, from each other and from text', ({ name, colors }) => {
  const looks = (['text', 'ok', 'warning', 'error'] as const).map((role) => JSON.stringify(colors[role]))
  // Without colours there are only weights; the words say the rest.
  expect(new Set(looks).size).toBe(name === 'mono' ? 3 : 4)
  expect(colors.selected.background).not.toBe(colors.status.background)
})

test.for(skins)('the spinner of $name moves in one place', ({ spinner }) => {
  expect(spinner.faces.length).toBeGreaterThan(1)
  expect(spinner.verbs.length).toBeGreaterThan(3)
  for (const word of [...spinner.faces, ...spinner.verbs]) expect(word).not.toMatch(/[\p{Cc}\p{Cf}]/u)
})

/** Ratio of WCAG 2, https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio: 1 to 21. */
function contrast(one: string, other: string): number {
  const [light = 0, dark = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a)
  return (light + 0.05) / (dark + 0.05)
}

function luminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(color.slice(at, at + 2), 16) / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}
