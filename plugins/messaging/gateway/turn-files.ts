/**
 * Files that the results of a turn carry. Each is read through the guard and held in the outbox as soon as its result is
 * there, because it may change or vanish; all that were made up to a message leave behind it, as one album where the platform
 * has albums. A crash repeats this with the same keys and ids, so nothing is sent twice.
 */
import {
  errorMessage,
  type Logger,
  logFault,
  type PluginContext,
  type ResultFile,
  SvcError,
  type Translate,
  type TurnEvent,
} from 'svc/sdk'
import type { DirectOutboxMessage, Outbox, OutboxFile } from 'svc/sdk/platform'
import { GuardedFiles } from 'svc/sdk/safety'
import type { ChatStep } from './chat-renderer.ts'
import { withoutPaths } from './path-names.ts'

export interface TurnFileDeps {
  readonly log: Logger
  readonly t: Translate
  outbox(): Outbox
  /** The content of a file that may be shown. Rejects with the message for the person. */
  read(file: ResultFile): Promise<Uint8Array>
}

/** Where files go. */
export type FileDestination = Omit<DirectOutboxMessage, 'key' | 'text' | 'files'>

/** More than any platform takes. */
const MAX_BYTES = 100 * 2 ** 20

/** Reads only what tools may read: a path in a result is a claim of a plugin. */
export async function readResultFile(ctx: PluginContext<unknown>, { path }: ResultFile): Promise<Uint8Array> {
  const guard = ctx.find(GuardedFiles)
  if (!guard) throw new SvcError('GATEWAY_FILE', 'nothing here judges which files may be shown')
  const { bytes, size } = await guard.read(path, '/', { maxBytes: MAX_BYTES + 1, signal: ctx.signal })
  if (Math.max(size, bytes.length) <= MAX_BYTES) return bytes
  throw new SvcError('GATEWAY_FILE', `it has ${size} bytes, and at most ${MAX_BYTES} are sent`)
}

/** An event that may bring files. */
export type FileEvent = Extract<TurnEvent, { type: 'image' | 'tool.complete' }>

/** Whether the event brings files. */
export function hasFiles(event: TurnEvent): event is FileEvent {
  return event.type === 'image' || (event.type === 'tool.complete' && (event.files?.length ?? 0) > 0)
}

/** The files of one turn, in order. */
export class TurnFiles {
  readonly #deps: TurnFileDeps
  readonly #turnId: string
  #batch = 0
  #held = false
  #work: Promise<void> = Promise.resolve()
  #open = 0

  constructor(deps: TurnFileDeps, turnId: string) {
    this.#deps = deps
    this.#turnId = turnId
  }

  /** Files are being read. */
  get isBusy(): boolean {
    return this.#open > 0
  }

  /** Does what the renderer of the chat says, in order. */
  carryOut(steps: readonly ChatStep[], { replyTo, ...place }: FileDestination): void {
    for (const step of steps) {
      if (step.type === 'hold') this.add(step.event, place)
      else if (step.type === 'release') this.release(place)
      else {
        const { type: _, isReply, ...message } = step
        this.#deps.outbox().post({ ...place, ...(isReply && replyTo !== undefined && { replyTo }), ...message })
      }
    }
  }

  /** Holds what an event brings. */
  add(event: TurnEvent, place: FileDestination): void {
    if (!hasFiles(event)) return
    const key = this.#key()
    this.#held = true
    this.#then(async () => {
      const files = await this.#letters(event, { key, place })
      if (files.length > 0) this.#deps.outbox().post({ ...place, key, text: '', files, isDraft: true })
    })
  }

  /** A message is whole, or the turn is over: what is held leaves behind it. */
  release(place: FileDestination): void {
    const key = this.#key()
    this.#batch++
    if (!this.#held) return
    this.#held = false
    this.#then(async () => {
      const { outbox } = this.#deps
      if (outbox().fileIds(key).length > 0) outbox().post({ ...place, key, text: '' })
    })
  }

  /** Resolves when all that was added is in the outbox. Never rejects. */
  settled(): Promise<void> {
    return this.#work
  }

  #key(): string {
    return `${this.#turnId}:files:${this.#batch}`
  }

  async #letters(event: TurnEvent, { key, place }: { readonly key: string; readonly place: FileDestination }) {
    const known = new Set(this.#deps.outbox().fileIds(key))
    if (event.type === 'image') {
      const id = `image:${event.seq}`
      return known.has(id) ? [] : [imageFile(event.image, id)]
    }
    const letters: OutboxFile[] = []
    if (event.type !== 'tool.complete') return letters
    for (const [at, file] of (event.files ?? []).entries()) {
      // A call that is run again after a crash has the same id.
      const id = `${event.callId}:${at}`
      const letter = known.has(id) ? undefined : await this.#letter(file, id, place)
      if (letter) letters.push(letter)
    }
    return letters
  }

  async #letter(file: ResultFile, id: string, place: FileDestination): Promise<OutboxFile | undefined> {
    const { path, name = path.split(/[/\\]/).at(-1) ?? '', ...facts } = file
    try {
      const bytes = await this.#deps.read(file)
      if (bytes.length === 0) throw new SvcError('GATEWAY_FILE', 'it is empty')
      return { ...facts, name, bytes, id }
    } catch (error) {
      logFault(this.#deps.log, `the file ${name} of a result could not be read`, error)
      const reason = withoutPaths(errorMessage(error).replaceAll(path, name))
      const text = `⚠️ ${this.#deps.t('{name} could not be attached: {reason}', { name, reason })}`
      this.#deps.outbox().post({ ...place, key: `${this.#turnId}:file:${id}`, text })
      return undefined
    }
  }

  #then(step: () => Promise<void>): void {
    this.#open++
    this.#work = this.#work
      .then(step)
      .catch((error: unknown) => this.#deps.log.warn('files of a turn could not be sent', { error }))
      .finally(() => this.#open--)
  }
}

function imageFile({ mediaType, data }: Extract<TurnEvent, { type: 'image' }>['image'], id: string): OutboxFile {
  const extension = mediaType.split('/')[1]?.split(/[+;]/)[0] ?? 'png'
  return { name: `image.${extension}`, mediaType, bytes: Buffer.from(data, 'base64'), id }
}
