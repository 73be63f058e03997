/** Files that come with messages: fetched within limits, stored, and described to the model. */
import {
  Clock,
  errorCode,
  errorMessage,
  type ImageContent,
  logFault,
  type PluginContext,
  type Translate,
} from 'svc/sdk'
import { MediaFiles, SpeechBackends, Transcription } from 'svc/sdk/media'
import {
  classifyDeliveryError,
  type InboundFile,
  type InboundMessage,
  type Platform,
  Platforms,
  platformSettingDefaults,
} from 'svc/sdk/platform'
import type { Config } from './config.ts'
import { withoutPaths } from './path-names.ts'

/** The text for the model about the files of one message. */
export interface Attached {
  /** Behind the words of the message. */
  readonly text: string
  readonly images: readonly ImageContent[]
  /** The reply to the person about rejected files; the model does not see them. */
  readonly refused: readonly string[]
  /** What was understood of voice messages, for the person. */
  readonly heard: readonly string[]
}

/** What was said in a recording. */
interface Transcript {
  readonly transcript: string
}

/** A file that is not taken, with the reason for the person. */
class Refused extends Error {}

/** For whom files are read, and until when. */
export interface Listening {
  /** Budgets count there what a voice message costs. */
  readonly sessionId: () => string
  readonly t: Translate
  readonly signal: AbortSignal
}

/** Texts up to this size stand in the message. */
const INLINE_BYTES = 102_400
const MAX_FILES = 20
const IMAGE_BYTES = 10 * 2 ** 20
const FETCH_LIMIT_MS = 120_000
/** How long a platform may be busy, or not connected yet. */
const BUSY_LIMIT_MS = 120_000
const FIRST_WAIT_MS = 100
const MAX_WAIT_MS = 5000
const TEXT_ENDINGS =
  /\.(txt|md|markdown|csv|tsv|log|json|jsonl|xml|ya?ml|toml|ini|cfg|conf|env|ts|tsx|js|jsx|mjs|py|rb|go|rs|java|kt|c|h|cpp|hpp|cs|php|sh|bash|sql|html?|css|diff|patch|tex|srt)$/i
const KNOWN_ENDINGS =
  /\.(png|jpe?g|gif|webp|heic|mp3|ogg|oga|opus|wav|m4a|aac|flac|mp4|mov|webm|pdf|zip|docx?|xlsx?|pptx?|odt|ods|odp|epub|rtf)$/i
const PICTURES: Readonly<Record<string, string>> = {
  '89504e47': 'image/png',
  ffd8ff: 'image/jpeg',
  '47494638': 'image/gif',
}

/** Fetches all of them; what cannot be had is said in the text. */
export async function attachments(
  ctx: PluginContext<Config>,
  platform: Platform,
  { files = [], text }: InboundMessage,
  listening: Listening,
): Promise<Attached> {
  const { t, signal } = listening
  const refused: string[] = []
  const heard = listTranscribed(files, text)
  const refuse = (name: string, reason: string) => refused.push(t('{name} was rejected: {reason}', { name, reason }))
  const texts: string[] = []
  const images: ImageContent[] = []
  for (const file of files.slice(0, MAX_FILES).filter(({ isTranscribed }) => !isTranscribed)) {
    try {
      const part = await attachment(ctx, platform, file, listening)
      if (typeof part === 'string') texts.push(part)
      else if ('data' in part) images.push(part)
      else {
        texts.push(`[Spoken] ${part.transcript}`)
        heard.push(part.transcript)
      }
    } catch (error) {
      if (signal.aborted) throw error
      if (!(error instanceof Refused))
        logFault(
          ctx.log,
          `a file of ${platform.name} could not be taken`,
          error,
          ctx.all(Platforms).owner(platform.name),
        )
      refuse(toFileLabel(file), error instanceof Refused ? error.message : withoutPaths(errorMessage(error)))
    }
  }
  const tooMany = t('at most {count} files are accepted at once.', { count: MAX_FILES })
  for (const file of files.slice(MAX_FILES)) refuse(toFileLabel(file), tooMany)
  return { text: texts.join('\n\n'), images, refused, heard }
}

/** What the service understood of speech is the text of the message. */
function listTranscribed(files: readonly InboundFile[], text: string): string[] {
  return files.some(({ isTranscribed }) => isTranscribed) && text.trim() !== '' ? [text] : []
}

async function attachment(
  ctx: PluginContext<Config>,
  platform: Platform,
  file: InboundFile,
  listening: Listening,
): Promise<string | ImageContent | Transcript> {
  const settings = platform.settings ?? platformSettingDefaults
  const isKnown =
    TEXT_ENDINGS.test(file.name) || KNOWN_ENDINGS.test(file.name) || /^(text|image|audio)\//.test(file.mediaType ?? '')
  const { t } = listening
  if (!isKnown && !settings.allow_any_attachment) throw new Refused(t('files of this type are not accepted here.'))
  if (!platform.fetch) throw new Refused(t('files cannot be fetched here.'))
  const limits = [settings.max_attachment_bytes, ctx.config.max_inbound_media_bytes].filter((bytes) => bytes > 0)
  const maxBytes = Math.min(Number.MAX_SAFE_INTEGER, ...limits)
  const tooLarge = new Refused(t('it is over {size}.', { size: sizeText(maxBytes) }))
  if ((file.size ?? 0) > maxBytes) throw tooLarge
  const bytes = await fetchFile(ctx.use(Clock), platform.fetch.bind(platform, file), {
    ...{ maxBytes, signal: listening.signal },
  }).catch((error: unknown) => {
    throw errorCode(error) === 'PLATFORM_FILE_LARGE' ? tooLarge : error
  })
  return describeFile(ctx, file, bytes, listening)
}

/** A message of before a restart is read while its platform is still connecting, so what is busy is waited for. */
async function fetchFile(
  clock: Clock,
  load: (options: { readonly maxBytes: number; readonly signal: AbortSignal }) => Promise<Uint8Array>,
  { maxBytes, signal }: { readonly maxBytes: number; readonly signal: AbortSignal },
): Promise<Uint8Array> {
  const until = clock.monotonic() + BUSY_LIMIT_MS
  for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(2 * waitMs, MAX_WAIT_MS)) {
    try {
      return await load({ maxBytes, signal: AbortSignal.any([signal, AbortSignal.timeout(FETCH_LIMIT_MS)]) })
    } catch (error) {
      const failure = classifyDeliveryError(error)
      const nextMs = Math.max(waitMs, failure.retryAfterMs ?? 0)
      if (failure.kind !== 'busy' || clock.monotonic() + nextMs > until) throw error
      await clock.sleep(nextMs, signal)
    }
  }
}

async function describeFile(
  ctx: PluginContext<Config>,
  file: InboundFile,
  bytes: Uint8Array,
  listening: Listening,
): Promise<string | ImageContent | Transcript> {
  const picture = pictureType(bytes)
  if (picture !== undefined && bytes.length <= IMAGE_BYTES)
    return { mediaType: picture, data: Buffer.from(bytes).toString('base64') }
  const text = bytes.length <= INLINE_BYTES && TEXT_ENDINGS.test(file.name) ? utf8(bytes) : undefined
  if (text !== undefined)
    return `<data source="${toFileLabel(file)}">\n${text.replaceAll('</data>', '<\\/data>')}\n</data>`
  const extension = /\.(\w{1,8})$/.exec(file.name)?.[1]?.toLowerCase() ?? 'bin'
  const path = await ctx.find(MediaFiles)?.keep(`${ctx.dataDir}/media`, { bytes, extension })
  const kept = path === undefined ? 'it could not be kept' : `it is kept as ${path}`
  const heard = file.isVoice ? await speech(ctx, file, bytes, listening) : { reason: '' }
  if (typeof heard === 'string' || 'transcript' in heard) return heard
  const why = heard.reason && `; it was not transcribed: ${heard.reason}`
  return `[The user sent the file ${toFileLabel(file)}, ${bytes.length} bytes; ${kept}${why}]`
}

/** The transcript of a recording, or why there is none: an exhausted cap is reported to the model, which tells the user. */
async function speech(
  ctx: PluginContext<Config>,
  file: InboundFile,
  bytes: Uint8Array,
  { sessionId, signal }: Listening,
): Promise<string | Transcript | { readonly reason: string }> {
  const transcription = ctx.find(Transcription)
  if (!transcription) return { reason: 'no plugin provides transcription' }
  const backend = transcription.backend()
  if ('reason' in backend) return backend
  if (bytes.length > backend.maxBytes) return { reason: `${backend.name} takes at most ${backend.maxBytes} bytes` }
  const extension = /\.(\w{1,8})$/.exec(file.name)?.[1] ?? 'ogg'
  const sound = { bytes, mediaType: file.mediaType ?? 'audio/ogg', extension, name: file.name }
  try {
    const text = await transcription.transcribe({ sound, signal, sessionId: sessionId() })
    return text === '' ? '[A recording without words]' : { transcript: text }
  } catch (error) {
    logFault(ctx.log, 'a recording could not be transcribed', error, ctx.all(SpeechBackends).owner(backend.name))
    return { reason: errorMessage(error) }
  }
}

function pictureType(bytes: Uint8Array): string | undefined {
  const head = Buffer.from(bytes.subarray(0, 12))
  if (head.subarray(0, 4).toString('latin1') === 'RIFF' && head.subarray(8).toString('latin1') === 'WEBP')
    return 'image/webp'
  const hex = head.toString('hex')
  return Object.entries(PICTURES).find(([start]) => hex.startsWith(start))?.[1]
}

function utf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}

/** `20 MB`; a limit in powers of two is formatted as such. */
function sizeText(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`
  const isBinary = bytes % 1024 === 0
  const [unit, names] = isBinary ? [1024, ['KiB', 'MiB', 'GiB']] : [1000, ['kB', 'MB', 'GB']]
  let [size, at] = [bytes / unit, 0]
  while (size >= unit && at < 2) [size, at] = [size / unit, at + 1]
  return `${Number(size.toFixed(1))} ${names[at]}`
}

/** A name without a path. */
function toFileLabel({ name }: InboundFile): string {
  return (
    [
      ...(name
        .replace(/[\p{Cc}"<>[\]]/gu, '')
        .split(/[/\\]/)
        .at(-1) ?? ''),
    ]
      .slice(0, 100)
      .join('')
      .trim() || 'without a name'
  )
}
