/** What `svc doctor` says of voice: which programs record and play, and who speaks and listens. */
import { errorMessage, type PluginContext, Secrets } from 'svc/sdk'
import type { HealthCheck, HealthFinding } from 'svc/sdk/host'
import { SpeechSynthesis, Transcription } from 'svc/sdk/media'
import { findPlayer, findRecorder } from './audio-programs.ts'
import type { Config } from './config.ts'

const FIX = 'svc setup voice'

/** Typed conversations need none of these programs, so a missing one is a warning only where voice is used. */
export function voiceCheck(ctx: PluginContext<Config>): HealthCheck {
  return {
    name: 'voice',
    title: 'Voice',
    async check() {
      const { config } = ctx
      const path = ctx.use(Secrets).get('PATH') ?? ''
      const isWanted =
        config.chats !== 'off' || config.terminal === 'on' || config.recorder !== '' || config.player !== ''
      const found = [
        attempt(
          'Recorder',
          () => findRecorder(config, path).name,
          'Install arecord (alsa-utils), parec, sox or ffmpeg.',
        ),
        attempt(
          'Player',
          () => findPlayer(config, path).name,
          'Install mpv, ffplay (ffmpeg), paplay or aplay (alsa-utils).',
        ),
        backend('Speaks', ctx.find(SpeechSynthesis)?.backend()),
        backend('Listens', ctx.find(Transcription)?.backend()),
      ]
      const missing = found.filter(({ state }) => state !== 'ok')
      if (missing.length === 0 || isWanted) return found
      const names = missing.map(({ text }) => text.split(':')[0]?.toLowerCase()).join(', ')
      return [{ state: 'ok', text: `Not used yet; missing for it: ${names}. ${FIX} sets it up.` }]
    },
  }
}

function attempt(what: string, find: () => string, fix: string): HealthFinding {
  try {
    return { state: 'ok', text: `${what}: ${find()}.` }
  } catch (error) {
    return { state: 'warning', text: `${what}: ${errorMessage(error)}`, fix }
  }
}

function backend(
  what: string,
  given: { readonly name: string } | { readonly reason: string } | undefined,
): HealthFinding {
  if (given && 'name' in given) return { state: 'ok', text: `${what}: ${given.name}.` }
  return { state: 'warning', text: `${what}: ${given?.reason ?? 'the plugin tool-speech is off'}.`, fix: FIX }
}
