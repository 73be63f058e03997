/** What is shown at the start and the end: the banner, and how to resume. */
import type { Session, Translate } from 'svc/sdk'
import {
  type DisplaySettings,
  formatDuration,
  type StyledLine,
  type StyledSpan,
  type TextLayout,
  type Theme,
} from 'svc/sdk/terminal'

/** What the banner tells. */
export interface BannerFacts {
  readonly model: string
  readonly cwd: string
  readonly sessionId: string
  readonly tools: number
  readonly toolsets: number
  /** Only the scripted demo answers. */
  readonly isDemo: boolean
}

/** What it is made with. */
export interface BannerDeps {
  readonly layout: TextLayout
  readonly skin: Theme
  readonly settings: DisplaySettings
  readonly t: Translate
}

const PANEL_FROM = 60

/** A panel, or one line where there is little room. */
export function bannerLines(
  facts: BannerFacts,
  width: number,
  { layout, skin, settings, t }: BannerDeps,
): readonly StyledLine[] {
  const { name, welcome } = skin.branding
  const clean = (text: string) => layout.clean(text, 'visible').replace(/\n/g, ' ')
  const help = t('/help shows the commands')
  const noModel = t('No model is connected: a scripted demo answers. Press Enter to connect a model.')
  if (width < PANEL_FROM || settings.compact) {
    const rest = ` · ${clean(facts.model)} · ${clean(facts.cwd)} · ${help}`
    const short = layout.cut([{ text: clean(name), role: 'title', bold: true }, { text: rest }], width)
    return facts.isDemo ? [short, ...layout.wrap([{ text: noModel, role: 'warning' }], width)] : [short]
  }
  const inner = Math.min(width, 100) - 4
  const row = (...spans: readonly StyledSpan[]): StyledLine => [
    { text: '│ ', role: 'border' },
    ...layout.pad(spans, inner),
    { text: ' │', role: 'border' },
  ]
  const labels = [t('model'), t('folder'), t('session'), t('tools')]
  const tools = t('{tools} in {toolsets} toolsets', { tools: facts.tools, toolsets: facts.toolsets })
  const column = Math.max(...labels.map((label) => layout.width(label))) + 2
  const model = facts.isDemo ? t('none (demo)') : facts.model
  const values = [model, facts.cwd, facts.sessionId, tools].map((value, at) =>
    row(...layout.pad([{ text: labels[at] ?? '', role: 'dim' }], column), { text: clean(value) }),
  )
  const title = ` ${layout.cut([{ text: clean(name) }], inner - 4)[0]?.text ?? ''} `
  const edge = '─'.repeat(Math.max(0, inner + 1 - layout.width(title)))
  return [
    [
      { text: '╭─', role: 'border' },
      { text: title, role: 'title', bold: true },
      { text: `${edge}╮`, role: 'border' },
    ],
    row({ text: clean(welcome), role: 'accent' }),
    ...values,
    ...(facts.isDemo ? layout.wrap([{ text: noModel, role: 'warning' }], inner).map((line) => row(...line)) : []),
    row({ text: help, role: 'dim' }),
    [{ text: `╰${'─'.repeat(inner + 2)}╯`, role: 'border' }],
  ]
}

/** What is printed once the terminal is given back; only the words for a conversation that is not kept or never began. */
export function goodbye(
  session: Pick<Session, 'id' | 'messages'> | undefined,
  given: { readonly ms: number; readonly words: string; readonly t: Translate },
  layout: TextLayout,
): string {
  const { ms, words, t } = given
  const messages = session?.messages() ?? []
  const own = messages.filter(({ role }) => role === 'user').length
  const calls = messages.filter(({ role }) => role === 'tool').length
  if (!session || messages.length === 0) return `${layout.clean(words)}\n`
  const counted = t('{count, plural, one {# message} other {# messages}}', { count: messages.length })
  const parts = t('{own} of yours, {calls} of tools', { own, calls })
  const go = t('Continue with: {command}', { command: `svc chat --resume ${session.id}` })
  return `${layout.clean(words)}\n${session.id} · ${formatDuration(ms)} · ${counted} (${parts})\n${go}\n`
}
