/** Talking on the terminal: one talk at a time, since there is one microphone; which answers are spoken, per session. */

import { join } from 'node:path'
import {
  errorMessage,
  logFault,
  type PluginContext,
  Random,
  Secrets,
  type Translate,
  type TurnEndReason,
} from 'svc/sdk'
import { type AudioFormat, SpeechSynthesis, Transcription } from 'svc/sdk/media'
import type { TuiContext } from 'svc/sdk/terminal'
import { TerminalUi } from 'svc/sdk/terminal'
import { findPlayer, findRecorder } from './audio-programs.ts'
import type { Config } from './config.ts'
import { toSpeakable } from './speakable-text.ts'
import type { TalkDeps, VoiceDialog } from './talk.ts'
import { createTalkView, describePhase, TALK_PLACE } from './talk-view.ts'

/** Which answers are spoken on the terminal: none, those to spoken questions, all. */
export type TerminalMode = 'off' | 'auto' | 'on'

const STANDARD_PATH = '/usr/local/bin:/usr/bin:/bin'
const VARIABLES = ['HOME', 'USER', 'LANG', 'XDG_RUNTIME_DIR', 'PULSE_SERVER', 'PULSE_COOKIE', 'AUDIODEV', 'AUDIODRIVER']

export class TerminalVoice {
  readonly #ctx: PluginContext<Config>
  readonly #t: Translate
  readonly #modes: Map<string, TerminalMode> = new Map()
  readonly #answers: Map<string, (answer: string) => void> = new Map()
  readonly #watchers: Set<() => void> = new Set()
  #talk: VoiceDialog | undefined
  #isOpening = false
  #sessionId = ''

  constructor(ctx: PluginContext<Config>, t: Translate) {
    this.#ctx = ctx
    this.#t = t
    ctx.defer(() => this.#talk?.end())
  }

  /** For the status bar. */
  statusOf(sessionId: string): string | undefined {
    if (this.#talk && this.#sessionId === sessionId) return `● ${describePhase(this.#talk, this.#t)}`
    return this.modeOf(sessionId) === 'on' ? this.#t('voice') : undefined
  }

  onChange(changed: () => void): () => void {
    this.#watchers.add(changed)
    return () => void this.#watchers.delete(changed)
  }

  modeOf(sessionId: string): TerminalMode {
    return this.#modes.get(sessionId) ?? this.#ctx.config.terminal
  }

  /** What holds from now on; a talk under way ends with `off`. */
  setMode(sessionId: string, mode: TerminalMode): void {
    this.#modes.set(sessionId, mode)
    if (mode === 'off') this.end(sessionId)
    this.#changed()
  }

  isTalking(sessionId: string): boolean {
    return this.#talk !== undefined && this.#sessionId === sessionId
  }

  /** The key: begins to listen, sends what was said, or stops an answer that is played. */
  press(ui: TuiContext): void {
    const talk = this.#talk
    if (!talk) void this.talk(ui, false)
    else if (talk.phase === 'listening') talk.finish()
    else if (talk.phase === 'speaking') talk.hush()
  }

  end(sessionId: string): void {
    if (this.isTalking(sessionId)) this.#talk?.end()
  }

  /** Resolves when the talk is over. Never rejects: what went wrong is said on the screen. */
  async talk(ui: TuiContext, isHandsFree: boolean): Promise<void> {
    await this.#hold(ui, isHandsFree, async (talk) => {
      if ((await talk.run()) === 'silence' && !talk.signal.aborted) ui.toast(this.#t('Nothing was heard.'), 'warning')
    })
  }

  /** An answer of any turn: it is given to the talk that waits for it, or spoken where all are. */
  turnEnded({
    sessionId,
    text,
    reason,
  }: {
    readonly sessionId: string
    readonly text: string
    readonly reason: TurnEndReason
  }): void {
    const answer = reason === 'completed' ? text : ''
    const waiting = this.#answers.get(sessionId)
    this.#answers.delete(sessionId)
    if (waiting) {
      waiting(answer)
      return
    }
    const ui = this.modeOf(sessionId) === 'on' && !this.#talk ? this.#ctx.find(TerminalUi)?.of(sessionId) : undefined
    const spoken = this.#toSpeech(answer)
    if (ui && spoken !== '') void this.#hold(ui, false, (talk) => talk.speak(spoken))
  }

  async #hold(ui: TuiContext, isHandsFree: boolean, work: (talk: VoiceDialog) => Promise<void>): Promise<void> {
    if (this.#talk || this.#isOpening) return
    this.#isOpening = true
    const { VoiceDialog } = await import('./talk.ts')
    this.#isOpening = false
    const talk = new VoiceDialog(this.#deps(ui), isHandsFree)
    this.#talk = talk
    this.#sessionId = ui.conversation.sessionId
    const key = this.#ctx.config.record_key.toUpperCase()
    const view = ui.open<void>((done) => {
      talk.signal.addEventListener('abort', () => done(), { once: true })
      return createTalkView(talk, key, this.#t)
    }, TALK_PLACE)
    // Escape has closed it.
    void view.then(() => talk.end())
    try {
      await work(talk)
    } catch (error) {
      if (!talk.signal.aborted) {
        logFault(this.#ctx.log, 'talking on the terminal failed', error)
        ui.conversation.say(errorMessage(error), 'error')
      }
    } finally {
      talk.end()
      if (this.#talk === talk) this.#talk = undefined
      this.#changed()
    }
  }

  #deps(ui: TuiContext): TalkDeps {
    const ctx = this.#ctx
    const { config } = ctx
    const { sessionId } = ui.conversation
    const variable = (name: string) => ctx.use(Secrets).get(name)
    const path = variable('PATH') ?? STANDARD_PATH
    const known = VARIABLES.flatMap((name) => (variable(name) === undefined ? [] : [[name, variable(name) ?? '']]))
    const environment = { PATH: path, ...Object.fromEntries(known) }
    return {
      environment,
      settings: {
        maxMs: config.max_seconds * 1000,
        activity: { threshold: config.silence_threshold, silenceMs: config.silence_seconds * 1000 },
        bargeIn: config.barge_in,
      },
      recorder: () => findRecorder(config, path),
      player: () => findPlayer(config, path),
      transcribe: (sound, signal) => ctx.use(Transcription).transcribe({ sound, sessionId, signal }),
      synthesize: (text, { formats }, signal) =>
        ctx.use(SpeechSynthesis).synthesize({ text, formats: formats as readonly AudioFormat[], sessionId, signal }),
      play: async (speech, program, signal) => {
        const { play } = await import('./playback.ts')
        const name = ctx.use(Random).hex(8)
        await play(speech, { program, environment, folder: join(ctx.dataDir, 'playing'), name, signal })
      },
      send: (text, signal) => this.#send(ui, text, signal),
      changed: () => {
        ui.redraw()
        this.#changed()
      },
    }
  }

  /** The turn that answers is the next one that ends in this session. */
  async #send(ui: TuiContext, text: string, signal: AbortSignal): Promise<string> {
    const { conversation } = ui
    const { sessionId } = conversation
    let cut = () => {}
    const answered = new Promise<string>((resolve) => {
      this.#answers.set(sessionId, resolve)
      cut = () => resolve('')
    })
    signal.addEventListener('abort', cut, { once: true })
    conversation.send(text, { source: 'person', whenBusy: 'queue' })
    // Removed afterwards: the signal is that of the whole talk, which may have many rounds.
    const answer = await answered.finally(() => signal.removeEventListener('abort', cut))
    return this.modeOf(sessionId) === 'off' ? '' : this.#toSpeech(answer)
  }

  #toSpeech(answer: string): string {
    return this.#ctx.use(Secrets).mask(toSpeakable(answer, this.#ctx.config.max_reply_characters))
  }

  #changed(): void {
    for (const changed of this.#watchers) changed()
  }
}

/** Why talking is not possible here, with what to install; undefined when it is possible. */
export function findTalkProblem(ctx: PluginContext<Config>, sessionId: string, t: Translate): string | undefined {
  if (!ctx.find(TerminalUi)?.of(sessionId)) return t('Talking needs the full screen: start `svc` in a terminal.')
  const backend = ctx.find(Transcription)?.backend() ?? { reason: t('no plugin provides transcription') }
  if ('reason' in backend)
    return t('What is said cannot be written down: {reason}. `svc setup voice` sets that up.', {
      reason: backend.reason,
    })
  try {
    findRecorder(ctx.config, ctx.use(Secrets).get('PATH') ?? STANDARD_PATH)
    return undefined
  } catch (error) {
    return errorMessage(error)
  }
}
