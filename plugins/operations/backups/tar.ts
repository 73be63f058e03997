/** Tar archives (POSIX pax) under gzip, as streams. A file of its own beside the program: few runs read or write one. */
import { createTarDecoder, createTarPacker } from 'modern-tar'

/** What the streams of Node take and give. */
interface Transform<To> {
  readonly readable: ReadableStream<To>
  readonly writable: WritableStream<Uint8Array>
}

/** An entry of an archive that is read. */
export interface TarEntry {
  readonly header: { readonly name: string; readonly mode?: number; readonly type?: string }
  readonly body: AsyncIterable<Uint8Array>
}

/** Adds entries to an archive. */
export interface TarPacker {
  add(header: {
    readonly name: string
    readonly size: number
    readonly mode: number
    readonly type?: 'file' | 'directory'
  }): WritableStream<Uint8Array>
  finalize(): void
  error(reason: unknown): void
}

export function packTar(): { readonly packer: TarPacker; readonly zipped: ReadableStream<Uint8Array> } {
  const { readable, controller } = createTarPacker()
  const zip = new CompressionStream('gzip') as unknown as Transform<Uint8Array>
  return { packer: controller, zipped: (readable as ReadableStream<Uint8Array>).pipeThrough(zip) }
}

export function readTar(zipped: ReadableStream<Uint8Array>): AsyncIterable<TarEntry> {
  const unzip = new DecompressionStream('gzip') as unknown as Transform<Uint8Array>
  const decoder = createTarDecoder({ strict: true }) as unknown as Transform<TarEntry>
  return zipped.pipeThrough(unzip).pipeThrough(decoder) as unknown as AsyncIterable<TarEntry>
}
