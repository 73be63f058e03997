/** What `/voice` does on the terminal. */
import type { CommandContext, PluginContext, Translate } from 'svc/sdk'
import { TerminalUi } from 'svc/sdk/terminal'
import type { Config } from './config.ts'
import { findTalkProblem, type TerminalMode, type TerminalVoice } from './terminal-voice.ts'

const WORDS: Readonly<Record<string, TerminalMode>> = { auto: 'auto', tts: 'on', off: 'off' }

export function onTerminal(
  ctx: PluginContext<Config>,
  word: string,
  { conversation }: CommandContext,
  { voice, t }: { readonly voice: TerminalVoice; readonly t: Translate },
): string {
  const { sessionId } = conversation
  const problem = findTalkProblem(ctx, sessionId, t)
  const ui = ctx.find(TerminalUi)?.of(sessionId)
  if (word === 'on') {
    if (problem !== undefined || !ui) return problem ?? ''
    if (voice.modeOf(sessionId) === 'off') voice.setMode(sessionId, 'auto')
    void voice.talk(ui, true)
    return t('Hands-free: speak, and a pause sends it. Esc or `/voice off` ends it.')
  }
  const mode = WORDS[word]
  if (mode === undefined && word !== 'status')
    return t('Not "{word}": /voice on, /voice auto, /voice tts, /voice off or /voice status.', { word })
  if (mode !== undefined) voice.setMode(sessionId, mode)
  return [describe(voice.modeOf(sessionId), ctx.config.record_key, t), problem].filter(Boolean).join('\n\n')
}

function describe(mode: TerminalMode, key: string, t: Translate): string {
  const how = t('{key} begins to listen and sends what was said; `/voice on` is hands-free.', {
    key: key.toUpperCase(),
  })
  if (mode === 'on') return `${t('Every answer is spoken.')} ${how}`
  return mode === 'auto'
    ? `${t('Answers to spoken questions are spoken.')} ${how}`
    : `${t('No answer is spoken.')} ${how}`
}
