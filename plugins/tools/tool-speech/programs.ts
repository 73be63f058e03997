/** Backends on this machine: programs that are found where the shell would find them, and the user's own commands. */
import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import type { Clock, Random } from 'svc/sdk'
import type { AudioFormat, SpeechBackend, SpeechToText, TextToSpeech } from 'svc/sdk/media'
import type { ProgramCall } from './call.ts'
import type { Config } from './config.ts'

export interface ProgramDeps {
  readonly config: Config
  readonly variable: (name: string) => string | undefined
  readonly random: () => Random
  readonly clock: () => Clock
  readonly mask: (text: string) => string
  /** Where a call has its folder. */
  readonly folder: string
}

const STANDARD_PATH = '/usr/local/bin:/usr/bin:/bin'
/** A text for a program is bounded by `speech.max_characters` alone. */
const ANY_LENGTH = 200_000
const MAX_BYTES = 50 * 2 ** 20
/** For so long it is believed whether a program is there. */
const LOOKED_MS = 5000

/** All of them. */
export function programBackends(deps: ProgramDeps): readonly SpeechBackend[] {
  const { tts_command, stt_command, tts_command_format, espeak_voice, piper_model, whisper_model, language } =
    deps.config
  const isThere = finder(deps)
  const found = (name: string) => () => (isThere(name) ? undefined : `needs the program ${name}`)
  const espeak = ['espeak-ng', ...(espeak_voice === '' ? [] : ['-v', espeak_voice]), '-f', '{input}', '-w', '{output}']
  const whisper = ['whisper', '{input}', '--model', whisper_model, '--output_format', 'txt', '--output_dir', '{folder}']
  const spoken = language === '' ? [] : ['--language', language]
  const piper = createVoice(['piper', '--model', piper_model, '--output_file', '{output}'], 'wav', deps)
  return [
    {
      ...{ name: 'command', label: 'Your own command', order: 5 },
      missing: (job) => {
        const key = job === 'speak' ? 'tts_command' : 'stt_command'
        return deps.config[key].trim() === '' ? `needs speech.${key}` : undefined
      },
      voice: createVoice(tts_command, tts_command_format, deps),
      ear: createTranscriber(stt_command, deps),
    },
    {
      ...{ name: 'piper', label: 'Piper', order: 60 },
      missing: () => (piper_model === '' ? 'needs speech.piper_model' : found('piper')()),
      // It reads its standard input (github.com/rhasspy/piper) and rewrites its file with each line.
      voice: { ...piper, speak: (order) => piper.speak({ ...order, text: order.text.replace(/\s+/g, ' ') }) },
    },
    {
      ...{ name: 'espeak', label: 'eSpeak NG', order: 90 },
      missing: found('espeak-ng'),
      voice: createVoice(espeak, 'wav', deps),
    },
    {
      ...{ name: 'whisper', label: 'Whisper', order: 60 },
      missing: found('whisper'),
      ear: createTranscriber([...whisper, ...spoken], deps),
    },
  ]
}

function createVoice(command: string | readonly string[], format: AudioFormat, deps: ProgramDeps): TextToSpeech {
  return {
    maxCharacters: ANY_LENGTH,
    formats: [format],
    speak: async ({ text, signal }) =>
      (await import('./call.ts')).speakWith({ ...createProgramCall(command, deps), signal }, text, format),
  }
}

function createTranscriber(command: string | readonly string[], deps: ProgramDeps): SpeechToText {
  return {
    maxBytes: MAX_BYTES,
    transcribe: async ({ sound, signal }) => {
      const text = await (await import('./call.ts')).listenWith({ ...createProgramCall(command, deps), signal }, sound)
      return { text, usage: {} }
    },
  }
}

function createProgramCall(command: string | readonly string[], deps: ProgramDeps): Omit<ProgramCall, 'signal'> {
  const names = ['HOME', 'USER', 'LANG', 'TMPDIR', 'XDG_CACHE_HOME', 'XDG_DATA_HOME']
  const known = names.flatMap((name) => {
    const value = deps.variable(name)
    return value === undefined ? [] : [[name, value] as const]
  })
  return {
    command,
    folder: join(deps.folder, deps.random().hex(8)),
    // Only what programs need: keys are not passed on.
    environment: { PATH: deps.variable('PATH') ?? STANDARD_PATH, ...Object.fromEntries(known) },
    timeoutMs: deps.config.program_seconds * 1000,
    clock: deps.clock(),
    mask: deps.mask,
  }
}

/** Every turn asks, and a program that was just installed is found some seconds later. */
function finder(deps: ProgramDeps): (name: string) => boolean {
  const looked = new Map<string, { readonly at: number; readonly path: string; readonly isThere: boolean }>()
  return (name) => {
    const at = deps.clock().monotonic()
    const path = deps.variable('PATH') ?? STANDARD_PATH
    const known = looked.get(name)
    if (known && known.path === path && at - known.at < LOOKED_MS) return known.isThere
    const isThere = isIn(path, name)
    looked.set(name, { at, path, isThere })
    return isThere
  }
}

function isIn(path: string, name: string): boolean {
  return path.split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, name), constants.X_OK)
      return true
    } catch {
      return false
    }
  })
}
