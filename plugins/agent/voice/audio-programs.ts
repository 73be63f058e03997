/** Programs that record and play: found when they are needed, where the shell would find them. */
import { accessSync, constants } from 'node:fs'
import { delimiter, isAbsolute, join } from 'node:path'
import { SvcError } from 'svc/sdk'
import type { AudioFormat } from 'svc/sdk/media'
import { RATE } from './pcm.ts'

/** A program with its arguments. */
export interface AudioProgram {
  readonly name: string
  readonly words: readonly string[]
}

/** A program that plays a file, whose path comes last or stands in the place of `{file}`. */
export interface PlayerProgram extends AudioProgram {
  /** What it plays, the best first. */
  readonly formats: readonly AudioFormat[]
}

const RAW = ['-t', 'raw', '-e', 'signed-integer', '-b', '16', '-r', String(RATE), '-c', '1', '-']
const input = process.platform === 'darwin' ? ['avfoundation', '-i', ':0'] : ['pulse', '-i', 'default']
/** Each writes samples of 16 bits to its standard output (their manual pages). */
const RECORDERS: readonly AudioProgram[] = [
  { name: 'arecord', words: ['-q', '-t', 'raw', '-f', 'S16_LE', '-r', String(RATE), '-c', '1'] },
  { name: 'parec', words: ['--raw', '--format=s16le', `--rate=${RATE}`, '--channels=1', '--latency-msec=30'] },
  { name: 'rec', words: ['-q', ...RAW] },
  { name: 'sox', words: ['-q', '-d', ...RAW] },
  {
    name: 'ffmpeg',
    words: ['-nostdin', '-loglevel', 'error', '-f', ...input, '-ac', '1', '-ar', String(RATE), '-f', 's16le', '-'],
  },
]
const ALL: readonly AudioFormat[] = ['wav', 'mp3', 'opus']
const PLAYERS: readonly PlayerProgram[] = [
  { name: 'afplay', words: [], formats: ['wav', 'mp3'] },
  { name: 'mpv', words: ['--no-video', '--really-quiet', '--no-terminal'], formats: ALL },
  { name: 'ffplay', words: ['-nodisp', '-autoexit', '-loglevel', 'quiet'], formats: ALL },
  { name: 'paplay', words: [], formats: ['wav'] },
  { name: 'aplay', words: ['-q'], formats: ['wav'] },
]

export interface ProgramSettings {
  /** Commands of the user; empty: the first that is found. */
  readonly recorder: string
  readonly player: string
}

/** Throws `VOICE_NO_RECORDER`, which says what to install. */
export function findRecorder({ recorder }: ProgramSettings, path: string): AudioProgram {
  const own = ownProgram(recorder)
  const found = own ?? RECORDERS.find(({ name }) => isIn(path, name))
  if (found && isIn(path, found.name)) return found
  const names = own ? own.name : 'arecord, parec, rec (sox) or ffmpeg'
  throw new SvcError('VOICE_NO_RECORDER', `No program that records was found: ${names}. ${installHint('alsa-utils')}`)
}

/** Throws `VOICE_NO_PLAYER`, which says what to install. */
export function findPlayer({ player }: ProgramSettings, path: string): PlayerProgram {
  const own = ownProgram(player)
  const found = own ? { ...own, formats: ALL } : PLAYERS.find(({ name }) => isIn(path, name))
  if (found && isIn(path, found.name)) return found
  const names = own ? own.name : 'mpv, ffplay, paplay, aplay or afplay'
  throw new SvcError('VOICE_NO_PLAYER', `No program that plays sound was found: ${names}. ${installHint('mpv')}`)
}

function installHint(name: string): string {
  return process.platform === 'darwin'
    ? 'Install one: brew install sox ffmpeg.'
    : `Install one with the package manager of your system, such as: apt install ${name}.`
}

/** The words of a command; quotes hold words together. */
function ownProgram(command: string): AudioProgram | undefined {
  const [name, ...words] = [...command.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(([, a, b, c]) => a ?? b ?? c ?? '')
  return name === undefined ? undefined : { name, words }
}

function isIn(path: string, name: string): boolean {
  const places = isAbsolute(name) ? [name] : path.split(delimiter).map((folder) => join(folder, name))
  return places.some((place) => {
    try {
      accessSync(place, constants.X_OK)
      return true
    } catch {
      return false
    }
  })
}
