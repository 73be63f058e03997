/** Pictures and sound: where they are read from, who makes them, who listens. */
import type { BudgetScope, Budgets } from './budgets.ts'
import { defineService, type ExtensionPoint, extensionPoint, type Ordered, type Service } from './declarations.ts'
import { errorCode } from './errors.ts'
import type { Usage } from './messages.ts'

/** A file to read. @since 0.2 */
export interface MediaReadOptions {
  /** A path as a model writes it, a `data:` URL, an http(s) address, or the bytes themselves. */
  readonly source: string | Uint8Array
  /** Where relative paths start. */
  readonly cwd: string
  /** The session in whose environment a path is (see `FileSession`); left out: this machine. */
  readonly sessionId?: string
  readonly signal: AbortSignal
  /** The most bytes it may have (default 50 MiB). */
  readonly maxBytes?: number
}

/** Something that was read and looked at. @since 0.1 */
export interface MediaFile {
  readonly bytes: Uint8Array
  /** What it is by its bytes, whatever it is called: `image/png`, `audio/mpeg`. */
  readonly mediaType: string
  /** How files of its kind end, without a dot: `png`, `mp3`. */
  readonly extension: string
  /** For people: the last part of its path or address. */
  readonly name: string
}

/** A picture that is whole as far as its outer form tells. @since 0.2 */
export interface ImageFile extends MediaFile {
  readonly width: number
  readonly height: number
}

/**
 * Reads pictures and sounds for tools. Files pass `GuardedFiles`, addresses pass `SafeFetch`. Rejects with what those say, or
 * with a `MEDIA_...` error: not there, too large, empty, cut off, or something else than it is taken for.
 * @since 0.1
 */
export interface MediaFiles {
  /** PNG, JPEG, GIF or WebP. */
  picture(request: MediaReadOptions): Promise<ImageFile>
  /** MP3, WAV, Ogg, FLAC, MP4, WebM or AAC. */
  sound(request: MediaReadOptions): Promise<MediaFile>
  /**
   * Writes a new file that only the user reads, whole or not at all, and returns its path. The newest 200 files of the
   * folder are kept.
   */
  keep(folder: string, file: Pick<MediaFile, 'bytes' | 'extension'>): Promise<string>
}
export const MediaFiles: Service<MediaFiles> = defineService('media-files')

/** The payee of a call, as `BudgetScope` names it. @since 0.2 */
export interface MediaBillingAccount {
  readonly provider: string
  readonly model: string
}

/** The request to `ImageGenerator.make`. @since 0.2 */
export interface ImageGenerationRequest {
  readonly prompt: string
  readonly shape: 'landscape' | 'square' | 'portrait'
  /** The picture to change; asked only of backends that edit. */
  readonly original?: ImageFile
  readonly signal: AbortSignal
}

/** The generated picture. @since 0.2 */
export interface GeneratedImage {
  readonly bytes: Uint8Array
  /** Tokens, where the service counts them. */
  readonly usage: Usage
  /** What the service made of the prompt. */
  readonly revisedPrompt?: string
}

/** A service that draws. Contributed to `ImageGenerators`. @since 0.2 */
export interface ImageGenerator extends Ordered {
  /** What `image.backend` holds. */
  readonly name: string
  readonly label: string
  /** Why it cannot be used ("needs OPENAI_API_KEY"); undefined when it can. */
  missing(): string | undefined
  /** Whether it changes pictures, too. */
  readonly edits: boolean
  /** Left out: the call is free. */
  readonly account?: MediaBillingAccount
  make(order: ImageGenerationRequest): Promise<GeneratedImage>
}
/** @since 0.2 */
export const ImageGenerators: ExtensionPoint<ImageGenerator> = extensionPoint(
  'image-backends',
  (backend) => backend.name,
)

/** How speech is stored. `opus` is Opus in Ogg. @since 0.2 */
export type AudioFormat = 'mp3' | 'opus' | 'wav'

/** A backend that speaks. @since 0.2 */
export interface TextToSpeech {
  /** Characters of one request. */
  readonly maxCharacters: number
  readonly formats: readonly AudioFormat[]
  /** Left out: the call is free. */
  readonly account?: MediaBillingAccount
  speak(order: {
    readonly text: string
    readonly format: AudioFormat
    readonly signal: AbortSignal
  }): Promise<Uint8Array>
}

/** A backend that listens. @since 0.2 */
export interface SpeechToText {
  /** Bytes of one sound. */
  readonly maxBytes: number
  /** Left out: the call is free. */
  readonly account?: MediaBillingAccount
  transcribe(order: { readonly sound: MediaFile; readonly signal: AbortSignal }): Promise<TranscriptionResult>
}

/** The text of a recording. @since 0.2 */
export interface TranscriptionResult {
  /** Empty when there were no words. */
  readonly text: string
  /** Tokens, where the service counts them. */
  readonly usage: Usage
}

/** A service that speaks or transcribes. Contributed to `SpeechBackends`. @since 0.1 */
export interface SpeechBackend extends Ordered {
  /** What `speech.tts_backend` and `speech.stt_backend` hold. */
  readonly name: string
  readonly label: string
  /** Why it cannot do that ("needs GROQ_API_KEY"); undefined when it can. Cheap: asked once a turn. */
  missing(job: 'speak' | 'transcribe'): string | undefined
  readonly voice?: TextToSpeech
  readonly ear?: SpeechToText
}
/** @since 0.1 */
export const SpeechBackends: ExtensionPoint<SpeechBackend> = extensionPoint(
  'speech-backends',
  (backend) => backend.name,
)

/** Speech as text, by the backend that `speech.stt_backend` names, within the caps of budgets. @since 0.1 */
export interface Transcription {
  /**
   * Which backend transcribes and how large a recording may be, or why no backend is available. Cheap: called once per
   * message.
   */
  backend(): { readonly name: string; readonly maxBytes: number } | { readonly reason: string }
  /**
   * The words, trimmed; empty when there were none. Budgets count them for the session and the turn. Rejects with `SPEECH_...` or
   * `BUDGET_EXCEEDED`.
   */
  transcribe(order: {
    readonly sound: MediaFile
    readonly sessionId?: string
    readonly turnId?: string
    readonly signal: AbortSignal
  }): Promise<string>
}
export const Transcription: Service<Transcription> = defineService('transcription')

/** A text that was spoken. @since 0.2 */
export interface SynthesizedSpeech {
  readonly bytes: Uint8Array
  readonly format: AudioFormat
  readonly mediaType: string
}

/** A text as speech, by the backend that `speech.tts_backend` names, within the caps of budgets. @since 0.2 */
export interface SpeechSynthesis {
  /** Which backend speaks and in which formats, or why no backend is available. Cheap: called once per answer. */
  backend(): { readonly name: string; readonly formats: readonly AudioFormat[] } | { readonly reason: string }
  /**
   * The whole text in one sound, in the first of `formats` that the backend has and that holds a text of this length; where it has
   * none of them, in one that it has. Budgets count it for the session and the turn. Rejects with `SPEECH_...` or
   * `BUDGET_EXCEEDED`.
   */
  synthesize(order: {
    readonly text: string
    readonly formats: readonly AudioFormat[]
    readonly sessionId?: string
    readonly turnId?: string
    readonly signal: AbortSignal
  }): Promise<SynthesizedSpeech>
}
export const SpeechSynthesis: Service<SpeechSynthesis> = defineService('speech-synthesis')

/** A file of a form. @since 0.1 */
export interface FormFile {
  readonly field: string
  readonly name: string
  readonly mediaType: string
  readonly bytes: Uint8Array
}

/**
 * The body of a form with files, as `multipart/form-data` (RFC 7578). `boundary` must not occur in any of the values:
 * random bytes in hexadecimal.
 * @since 0.2
 */
export function encodeMultipartForm(
  fields: Readonly<Record<string, string>>,
  files: FormFile | readonly FormFile[],
  boundary: string,
): { readonly contentType: string; readonly body: Uint8Array } {
  const quoted = (text: string) => text.replace(/["\r\n]/g, (one) => encodeURIComponent(one))
  const head = (name: string) => `--${boundary}\r\ncontent-disposition: form-data; name="${quoted(name)}"`
  const texts = Object.entries(fields).map(([name, value]) => `${head(name)}\r\n\r\n${value}\r\n`)
  const all: readonly FormFile[] = 'field' in files ? [files] : files
  const contents = all.flatMap(({ field, name, mediaType, bytes }) => {
    const begin = `${head(field)}; filename="${quoted(name)}"\r\ncontent-type: ${mediaType}\r\n\r\n`
    return [Buffer.from(begin), bytes, Buffer.from('\r\n')]
  })
  const parts = [Buffer.from(texts.join('')), ...contents, Buffer.from(`--${boundary}--\r\n`)]
  return { contentType: `multipart/form-data; boundary=${boundary}`, body: Buffer.concat(parts) }
}

/** Failures of a call whose work may have been done, and counts, although nothing of it arrived. */
const PERHAPS_PAID = ['NET_TIMEOUT', 'NET_STALLED', 'NET_CLOSED', 'NET_TOO_LARGE']

/** A paid call of a service other than a chat model. @since 0.2 */
export interface MeteredCall<T> {
  readonly spender: BudgetScope
  /** Tokens that it may take. */
  readonly estimate: { readonly inputTokens: number; readonly outputTokens: number }
  readonly signal: AbortSignal
  run(): Promise<T>
  usage(result: T): Usage
}

/**
 * Runs the call with a budget reservation and settles its cost: also when it was aborted, since the service may have
 * done the work already; not if the service refused. Rejects with `BUDGET_EXCEEDED` before anything is sent, and with
 * what the call rejects with.
 * @since 0.2
 */
export async function runWithinBudget<T>(budgets: Budgets | undefined, call: MeteredCall<T>): Promise<T> {
  call.signal.throwIfAborted()
  const reservation = await budgets?.hold(call.spender, call.estimate)
  try {
    const result = await call.run()
    reservation?.settle(call.usage(result))
    return result
  } catch (error) {
    const inner = errorCode((error as { cause?: unknown } | undefined)?.cause)
    if (call.signal.aborted || PERHAPS_PAID.includes(inner)) reservation?.settle({})
    throw error
  } finally {
    reservation?.release()
  }
}
