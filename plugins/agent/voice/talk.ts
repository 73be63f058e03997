/**
 * One talk on the terminal: it listens, has what was said written down and sent, and speaks the answer. Hands-free it goes on until
 * it is ended; else it ends with what was said once. Everything that it runs ends with its signal.
 */
import { SvcError } from 'svc/sdk'
import type { MediaFile, SynthesizedSpeech } from 'svc/sdk/media'
import type { AudioProgram, PlayerProgram } from './audio-programs.ts'
import { type Frame, toWav } from './pcm.ts'
import { Recording } from './recording.ts'
import { type Activity, type ActivityLimits, follow, WAITING } from './voice-activity.ts'

export type TalkPhase = 'listening' | 'transcribing' | 'waiting' | 'speaking'

export interface TalkSettings {
  readonly maxMs: number
  readonly activity: ActivityLimits
  /** How much louder than speech a person has to be to stop the answer that is played; 0: they cannot. */
  readonly bargeIn: number
}

export interface TalkDeps {
  readonly settings: TalkSettings
  readonly environment: Readonly<Record<string, string>>
  /** Throw `VOICE_...` when there is no such program. */
  recorder(): AudioProgram
  player(): PlayerProgram
  transcribe(sound: MediaFile, signal: AbortSignal): Promise<string>
  synthesize(text: string, player: PlayerProgram, signal: AbortSignal): Promise<SynthesizedSpeech>
  play(speech: SynthesizedSpeech, player: PlayerProgram, signal: AbortSignal): Promise<void>
  /** Sends the transcript. Resolves with the answer to speak; an empty text is not spoken. */
  send(text: string, signal: AbortSignal): Promise<string>
  /** Something to be seen is different. */
  changed(): void
}

/** So many times in a row nothing is said before hands-free ends. */
const MAX_SILENT = 3
/** A key that was pressed twice by mistake. */
const MIN_PRESS_MS = 300

export class VoiceDialog {
  phase: TalkPhase = 'listening'
  /** Of the last frame. */
  level = 0
  heardMs = 0
  readonly isHandsFree: boolean
  readonly #deps: TalkDeps
  readonly #end: AbortController = new AbortController()
  #recording: Recording | undefined
  #frames: Frame[] = []
  #activity: Activity = WAITING
  #heard: () => void = () => {}
  #playing: AbortController | undefined

  constructor(deps: TalkDeps, isHandsFree: boolean) {
    this.#deps = deps
    this.isHandsFree = isHandsFree
  }

  get signal(): AbortSignal {
    return this.#end.signal
  }

  /** Discards what is recorded and stops what is played. */
  end(): void {
    this.#end.abort()
    this.#playing?.abort()
    this.#recording?.stop()
    this.#heard()
  }

  /** What was said so far is all of it. */
  finish(): void {
    if (this.phase === 'listening') this.#heard()
  }

  /** Stops the answer that is played. */
  hush(): void {
    this.#playing?.abort()
  }

  /** Resolves with why it is over: with `silence`, or because it was ended or done. Rejects with `VOICE_...`, `SPEECH_...` and the like. */
  async run(): Promise<'ended' | 'silence'> {
    let silent = 0
    try {
      for (;;) {
        const text = await this.#hear()
        if (this.signal.aborted) return 'ended'
        silent = text === '' ? silent + 1 : 0
        if (silent >= (this.isHandsFree ? MAX_SILENT : 1)) return 'silence'
        if (text !== '') await this.#exchange(text)
        if (!this.#goesOn) return 'ended'
      }
    } finally {
      this.#recording?.stop()
    }
  }

  get #goesOn(): boolean {
    return this.isHandsFree && !this.signal.aborted
  }

  /** What was said; empty when there were no words. */
  async #hear(): Promise<string> {
    const sound = await this.#listen()
    return sound === undefined || this.signal.aborted ? '' : this.#transcribe(sound)
  }

  async #exchange(text: string): Promise<void> {
    this.#to('waiting')
    const answer = await this.#deps.send(text, this.signal)
    if (answer !== '' && !this.signal.aborted) await this.speak(answer)
  }

  /** Speaks a text; hands-free it is recorded meanwhile, so that a person can cut in. */
  async speak(text: string): Promise<void> {
    const player = this.#deps.player()
    const speech = await this.#deps.synthesize(text, player, this.signal)
    if (this.signal.aborted) return
    this.#to('speaking')
    const playing = new AbortController()
    this.#playing = playing
    if (this.isHandsFree && this.#deps.settings.bargeIn > 0) this.#record()
    try {
      await this.#deps.play(speech, player, playing.signal)
    } finally {
      this.#playing = undefined
      // Sound from the loudspeaker is not speech of a person.
      if (this.#activity.phase === 'waiting') this.#frames = []
    }
  }

  /** The sound from the first word on; undefined when nothing was said. */
  async #listen(): Promise<MediaFile | undefined> {
    const ready = new Promise<void>((resolve) => {
      this.#heard = resolve
    })
    this.#record()
    this.#to('listening')
    const recording = this.#recording
    if (!recording || this.signal.aborted) return undefined
    if (this.#activity.phase === 'ended') this.#heard()
    try {
      await Promise.race([ready, recording.ended])
    } finally {
      recording.stop()
      this.#recording = undefined
    }
    // A key that was pressed means what is recorded, however quiet it is.
    const wasSpoken = this.isHandsFree ? this.#activity.phase !== 'waiting' : this.heardMs >= MIN_PRESS_MS
    const bytes = toWav(this.#frames, recording.rate)
    this.#frames = []
    this.#activity = WAITING
    return wasSpoken ? { bytes, mediaType: 'audio/wav', extension: 'wav', name: 'speech.wav' } : undefined
  }

  /** Begins to record unless it does already. */
  #record(): void {
    if (this.#recording || this.signal.aborted) return
    this.#frames = []
    this.#activity = WAITING
    this.heardMs = 0
    const { environment } = this.#deps
    this.#recording = new Recording({
      ...{ program: this.#deps.recorder(), environment },
      onFrame: (frame) => this.#take(frame),
    })
  }

  #take(frame: Frame): void {
    const { activity, bargeIn, maxMs } = this.#deps.settings
    const isPlaying = this.#playing !== undefined
    const limits = isPlaying ? { ...activity, threshold: activity.threshold * bargeIn } : activity
    this.#frames.push(frame)
    this.level = frame.level
    this.heardMs = this.#frames.length * frame.ms
    this.#activity = follow(this.#activity, frame, limits)
    if (isPlaying && this.#activity.phase !== 'waiting') this.#playing?.abort()
    const isOver = this.isHandsFree && this.#activity.phase === 'ended'
    if (isOver || this.heardMs >= maxMs) this.#heard()
    this.#deps.changed()
  }

  async #transcribe(sound: MediaFile): Promise<string> {
    this.#to('transcribing')
    try {
      return await this.#deps.transcribe(sound, this.signal)
    } catch (error) {
      if (this.signal.aborted) return ''
      throw error instanceof Error ? error : new SvcError('VOICE_RECORDER', String(error))
    }
  }

  #to(phase: TalkPhase): void {
    this.phase = phase
    this.#deps.changed()
  }
}
