/** A composer with real text layout, real files and a clock that stands still. */
import { join } from 'node:path'
import type { Completion, Translate } from 'svc/sdk'
import { MediaFiles } from 'svc/sdk/media'
import { TextLayout } from 'svc/sdk/terminal'
import { testKernel, virtualClock } from 'svc/sdk/testing'
import { onTestFinished } from 'vitest'
import { Composer, type ComposerOptions } from '../../../../plugins/terminal-ui/tui-composer/composer.ts'
import { temporaryFolder } from '../../../support/temporary.ts'

const kernel = await testKernel({ plugins: ['typography', 'media'] })
export const layout = kernel.use(TextLayout)
export const media = kernel.use(MediaFiles)

export const t: Translate = (english, values = {}) =>
  english
    .replace(/\{(\w+), plural, one \{#([^}]*)\} other \{#([^}]*)\}\}/g, (_, name: string, one, other) =>
      values[name] === 1 ? `1${one}` : `${values[name]}${other}`,
    )
    .replace(/\{(\w+)\}/g, (_, name: string) => String(values[name]))

export interface StageOptions extends Partial<Pick<ComposerOptions, 'environment' | 'complete' | 'cwd'>> {
  readonly home?: string
  readonly items?: readonly Completion[]
}

export function stage(options: StageOptions = {}) {
  const home = options.home ?? temporaryFolder()
  const clock = virtualClock()
  const failures: string[] = []
  const asked: string[] = []
  const told: (() => void)[] = []
  const composer = new Composer({
    layout,
    clock,
    t,
    cwd: options.cwd ?? home,
    historyFile: join(home, 'data/tui-composer/history.jsonl'),
    pastesFolder: join(home, 'pastes'),
    signal: new AbortController().signal,
    complete:
      options.complete ??
      (async (text) => {
        asked.push(text)
        return options.items ?? []
      }),
    media: async () => media,
    environment: options.environment ?? (() => undefined),
    marks: () => [],
    changed: () => {
      for (const each of told.splice(0)) each()
    },
    failed: (error) => failures.push(error instanceof Error ? error.message : String(error)),
  })
  onTestFinished(() => composer.close())
  const key = (...names: readonly string[]) => names.map((name) => composer.input({ type: 'key', name }))
  return {
    composer,
    clock,
    failures,
    asked,
    home,
    key,
    type: (text: string) => {
      for (const letter of layout.graphemes(text)) composer.input({ type: 'text', text: letter })
    },
    paste: (text: string) => composer.input({ type: 'paste', text }),
    /** Until `isSo` holds after one of the changes that the composer tells of. */
    until: async (isSo: () => boolean) => {
      while (!isSo()) await new Promise<void>((resolve) => told.push(resolve))
    },
    seen: (width = 60, rows = 20) => {
      const { lines, cursor } = composer.lines({ width, rows, prompt: [{ text: '> ' }] })
      return { rows: lines.map((line) => line.map(({ text }) => text).join('')), cursor }
    },
  }
}
