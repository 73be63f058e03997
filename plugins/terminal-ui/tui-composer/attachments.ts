/** Pictures that go with a message, from files or from the clipboard, and what a dropped file becomes. */
import { statSync } from 'node:fs'
import { extname, isAbsolute, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type ImageContent, SvcError, type Translate } from 'svc/sdk'
import type { ImageFile, MediaFiles } from 'svc/sdk/media'
import type { StyledLine } from 'svc/sdk/terminal'

/** What attachments need of the outside. */
export interface AttachmentsDeps {
  readonly cwd: string
  readonly signal: AbortSignal
  media(): Promise<Pick<MediaFiles, 'picture'> | undefined>
  /** The picture in the clipboard; rejects when there is none. */
  clipboard(): Promise<Uint8Array>
  readonly t: Translate
  changed(): void
  failed(error: unknown): void
}

const MAX_IMAGES = 10
const MAX_BYTES = 20 * 2 ** 20
const PICTURE_NAME = /^\.(png|jpe?g|gif|webp)$/i

/** A picture, or one that is still being read. */
interface Attachment {
  picture?: ImageFile
}

export class Attachments {
  readonly #deps: AttachmentsDeps
  #all: Attachment[] = []

  constructor(deps: AttachmentsDeps) {
    this.#deps = deps
  }

  get isEmpty(): boolean {
    return this.#all.length === 0
  }

  /** Some picture is still being read. */
  get isReading(): boolean {
    return this.#all.some(({ picture }) => !picture)
  }

  /** `[Image #1: 640x480 png]`, one behind the other; empty when there are none. */
  get line(): StyledLine {
    return this.#all.flatMap(({ picture }, index) => {
      const number = index + 1
      const text = picture
        ? this.#deps.t('[Image #{number}: {size} {kind}]', {
            number,
            size: `${picture.width}x${picture.height}`,
            kind: picture.extension,
          })
        : this.#deps.t('[Image #{number}: …]', { number })
      return [...(index > 0 ? [{ text: ' ' }] : []), { text, role: 'accent' } as const]
    })
  }

  /** A path, or the picture in the clipboard. What goes wrong is told to the host. */
  async add(source: string | 'clipboard'): Promise<void> {
    const attachment: Attachment = {}
    try {
      if (this.#all.length >= MAX_IMAGES)
        throw new SvcError('TUI_TOO_MANY_IMAGES', `A message takes ${MAX_IMAGES} images. Remove one with backspace.`)
      this.#all = [...this.#all, attachment]
      this.#deps.changed()
      attachment.picture = await this.#read(source === 'clipboard' ? await this.#deps.clipboard() : source)
    } catch (error) {
      this.#all = this.#all.filter((other) => other !== attachment)
      if (!this.#deps.signal.aborted) this.#deps.failed(error)
    }
    this.#deps.changed()
  }

  /** Removes the last one; false if there is none. */
  removeLast(): boolean {
    return this.#all.pop() !== undefined
  }

  /** Hands all of them over; those that are still being read are dropped. */
  take(): readonly ImageContent[] {
    const pictures = this.#all.flatMap(({ picture }) => picture ?? [])
    this.#all = []
    return pictures.map(({ mediaType, bytes }) => ({ mediaType, data: Buffer.from(bytes).toString('base64') }))
  }

  async #read(source: string | Uint8Array): Promise<ImageFile> {
    const { cwd, signal } = this.#deps
    const media = await this.#deps.media()
    if (!media) throw new SvcError('TUI_CLIPBOARD', 'No plugin reads pictures. Switch on the plugin media.')
    return media.picture({ source, cwd, signal, maxBytes: MAX_BYTES })
  }
}

/**
 * The files that a pasted text names when it names nothing else: absolute paths as terminals write them for files that
 * are dropped (quoted, with escaped blanks, `file://`), on one or several lines. Undefined for any other text.
 */
export function droppedPaths(text: string, home: string | undefined): readonly string[] | undefined {
  if (text.length > 10_000 || !/^\s*["']?(\/|~\/|file:\/\/)/.test(text)) return undefined
  const line = text.trim()
  if (isThere(line)) return [line]
  const words = line.match(/"[^"]*"|'[^']*'|(?:\\.|[^\s\\])+/g) ?? []
  const paths = words.map((word) => parseDroppedPath(word, home))
  return paths.length > 0 && paths.every((path) => path !== undefined && isThere(path))
    ? (paths as string[])
    : undefined
}

/** Whether it is attached, by its name. */
export function isPicture(path: string): boolean {
  return PICTURE_NAME.test(extname(path))
}

/** `@src/a.ts`, `@"/tmp/two words.txt"`. */
export function formatMention(path: string, cwd: string): string {
  const inside = relative(cwd, path)
  const shown = inside === '' || isAbsolute(inside) || inside === '..' || inside.startsWith(`..${sep}`) ? path : inside
  return /[\s"]/.test(shown) ? `@"${shown}"` : `@${shown}`
}

function parseDroppedPath(word: string, home: string | undefined): string | undefined {
  const isQuoted = /^(["']).*\1$/s.test(word)
  const plain = isQuoted ? word.slice(1, -1) : word.replace(/\\(.)/g, '$1')
  if (/^file:\/\//.test(plain)) return fileUrlToPath(plain)
  if (plain.startsWith('~/') && !isQuoted) return home === undefined ? undefined : home + plain.slice(1)
  return isAbsolute(plain) ? plain : undefined
}

function fileUrlToPath(address: string): string | undefined {
  try {
    return fileURLToPath(address.replace(/^file:\/\/localhost\//, 'file:///'))
  } catch {
    // Of another machine, or badly written: no file of ours.
    return undefined
  }
}

function isThere(path: string): boolean {
  return path !== sep && isAbsolute(path) && statSync(path, { throwIfNoEntry: false }) !== undefined
}
