/** What is seen of a talk: a small window that leaves the keys to the conversation, and a word in the status bar. */
import type { Translate } from 'svc/sdk'
import type { OverlayView, StyledLine, ViewPlace } from 'svc/sdk/terminal'
import type { VoiceDialog } from './talk.ts'

export const TALK_PLACE: ViewPlace = { anchor: 'top-right', width: 44, rows: 4, focus: false }

const BARS = ' ▁▂▃▄▅▆▇█'
/** As loud as speech close to a microphone. */
const LOUD = 6000

/** What it does now, in a few words. */
export function describePhase({ phase }: VoiceDialog, t: Translate): string {
  if (phase === 'listening') return t('Listening')
  if (phase === 'transcribing') return t('Writing down what was said')
  return phase === 'speaking' ? t('Speaking') : t('Waiting for the answer')
}

export function createTalkView(talk: VoiceDialog, key: string, t: Translate): OverlayView {
  return {
    keys: '',
    input: () => 'ignored',
    lines: () => {
      const time = talk.phase === 'listening' ? ` ${(talk.heardMs / 1000).toFixed(1)} s ${bar(talk.level)}` : ''
      const head: StyledLine = [{ text: `● ${describePhase(talk, t)}${time}`, role: 'accent' }]
      return [head, [{ text: keysText(talk, key, t) }]]
    },
  }
}

function keysText({ phase, isHandsFree }: VoiceDialog, key: string, t: Translate): string {
  const end = isHandsFree ? t('Esc ends it') : t('Esc discards')
  if (phase === 'listening') return `${t('{key} sends', { key })} · ${end}`
  return phase === 'speaking' ? `${t('{key} stops it', { key })} · ${t('Esc ends it')}` : end
}

function bar(level: number): string {
  const height = Math.min(BARS.length - 1, Math.round((Math.sqrt(level / LOUD) || 0) * (BARS.length - 1)))
  return BARS[height] ?? ' '
}
