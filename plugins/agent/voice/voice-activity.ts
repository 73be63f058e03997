/** When a person speaks, by how loud it is: a state machine over frames. Pure. */
import type { Frame } from './pcm.ts'

/** `waiting`: no speech yet; `speaking`; `ended`: silence followed it. */
export interface Activity {
  readonly phase: 'waiting' | 'speaking' | 'ended'
  /** How long it has been loud before speech, or quiet during it. */
  readonly ms: number
}

export interface ActivityLimits {
  /** The level from which on sound counts as speech. */
  readonly threshold: number
  /** So much silence ends it. */
  readonly silenceMs: number
}

export const WAITING: Activity = { phase: 'waiting', ms: 0 }
/** A click of the keyboard is shorter. */
const MIN_SPEECH_MS = 150

export function follow(state: Activity, { level, ms }: Frame, { threshold, silenceMs }: ActivityLimits): Activity {
  const isLoud = level >= threshold
  if (state.phase === 'waiting') {
    const loud = isLoud ? state.ms + ms : Math.max(0, state.ms - ms)
    return loud >= MIN_SPEECH_MS ? { phase: 'speaking', ms: 0 } : { phase: 'waiting', ms: loud }
  }
  if (state.phase === 'ended') return state
  const quiet = isLoud ? 0 : state.ms + ms
  return quiet >= silenceMs ? { phase: 'ended', ms: quiet } : { phase: 'speaking', ms: quiet }
}
