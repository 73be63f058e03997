/** The work of `text_to_speech`: the text is cut, spoken piece by piece, joined and kept. */
import { mkdir, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, extname } from 'node:path'
import { errorCode, errorMessage, SvcError, type ToolContext, type ToolResult } from 'svc/sdk'
import type { AudioFormat } from 'svc/sdk/media'
import { joinSpeech } from './join.ts'
import { MEDIA_TYPE, planSpeech, type SpeechPlan, speakPiece } from './synthesis.ts'
import type { SpeechDeps, SpokenInput } from './tools.ts'

const FORMATS: Readonly<Record<string, AudioFormat>> = {
  '.mp3': 'mp3',
  '.opus': 'opus',
  '.ogg': 'opus',
  '.wav': 'wav',
}
/** One call, decided. */
interface Job extends SpeechPlan {
  readonly signal: AbortSignal
  /** Where it is to be; undefined: among the files of the plugin. */
  readonly path: string | undefined
}

/** Throws `SPEECH_...`, `BUDGET_EXCEEDED`, `MEDIA_...` or `FILE_...`. */
export async function speakText(input: SpokenInput, turn: ToolContext, deps: SpeechDeps): Promise<ToolResult> {
  const job = await plan(input, turn, deps)
  const { sessionId, turnId } = turn
  const spoken: Uint8Array[] = []
  try {
    for (const piece of job.pieces) {
      if (job.pieces.length > 1) turn.progress(`Speaking part ${spoken.length + 1} of ${job.pieces.length}`)
      spoken.push(await speakPiece(piece, job, { sessionId, turnId, signal: job.signal }, deps))
    }
  } catch (error) {
    if (spoken.length === 0 || job.signal.aborted) throw error
    throw await handleUnfinished(error, spoken, job, deps)
  }
  const bytes = joinSpeech(spoken, job.format)
  const path = await save(bytes, job, deps)
  const parts = spoken.length > 1 ? `, spoken in ${spoken.length} parts` : ''
  return {
    text: `Saved as ${path} (${job.format}, ${bytes.length} bytes${parts}).`,
    data: { path, format: job.format, bytes: bytes.length, parts: spoken.length, backend: job.backend.name },
    files: [{ path, mediaType: MEDIA_TYPE[job.format], ...(job.path === undefined && { isVoice: true }) }],
  }
}

/** Everything that can be refused is refused before a paid call. */
async function plan(input: SpokenInput, turn: ToolContext, deps: SpeechDeps): Promise<Job> {
  const named = namedFormat(input.output_path)
  const speech = planSpeech(input.text, deps, (able) => {
    const wanted = named ?? deps.config.format
    return able.includes(wanted) ? wanted : named === undefined ? able[0] : undefined
  })
  const path = input.output_path === undefined ? undefined : await freePath(input.output_path, turn.cwd, deps)
  return { ...speech, signal: AbortSignal.any([turn.signal, deps.unloaded]), path }
}

function namedFormat(path: string | undefined): AudioFormat | undefined {
  if (path === undefined) return undefined
  const format = FORMATS[extname(path).toLowerCase()]
  if (format) return format
  throw new SvcError(
    'SPEECH_FORMAT',
    'The name of the file does not tell its format; let it end in .mp3, .opus or .wav.',
  )
}

async function freePath(asked: string, cwd: string, deps: SpeechDeps): Promise<string> {
  const { path } = await deps.files().writable(asked, cwd)
  const stats = await stat(path).catch(() => undefined)
  if (stats) throw exists(path)
  return path
}

/** What was paid for is kept, though it is only the beginning. */
async function handleUnfinished(
  error: unknown,
  spoken: readonly Uint8Array[],
  job: Job,
  deps: SpeechDeps,
): Promise<unknown> {
  const { format, pieces } = job
  const keep = async () => deps.media().keep(deps.folder, { bytes: joinSpeech(spoken, format), extension: format })
  // What went wrong first is what is told; that it could not even be kept adds nothing.
  const path = await keep().catch(() => undefined)
  if (path === undefined) return error
  const done = `${spoken.length} of ${pieces.length} parts were spoken and are in ${path}`
  const advice = errorCode(error) === 'BUDGET_EXCEEDED' ? '' : ' Speak the rest of the text in another call.'
  return new SvcError('SPEECH_FAILED', `${errorMessage(error)} ${done}.${advice}`, { status: 502, cause: error })
}

async function save(bytes: Uint8Array, { path, format }: Job, deps: SpeechDeps): Promise<string> {
  if (path === undefined) return deps.media().keep(deps.folder, { bytes, extension: format })
  try {
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, bytes, { flag: 'wx' })
    return path
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') await rm(path, { force: true }).catch(() => undefined)
    const kept = await deps.media().keep(deps.folder, { bytes, extension: format })
    const said = `${path} could not be written: ${errorMessage(error)}. The speech is in ${kept}.`
    throw new SvcError('SPEECH_NOT_SAVED', said, { cause: error })
  }
}

function exists(path: string): SvcError {
  return new SvcError('SPEECH_FILE_EXISTS', `${path} is there already and is not replaced. Choose another name.`)
}
