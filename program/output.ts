/** Standard output and error belong to the command that runs. What a plugin writes past it goes to the log. */
import { currentOwner, kernelOwner } from '../kernel/owner.ts'
import { findRunningPlugin } from './stacks.ts'

type Stream = NodeJS.WriteStream
type Name = 'stdout' | 'stderr'

/** Told of a line that code of a plugin wrote to a stream, with `console.log` for example. */
export type OnStray = (plugin: string, stream: Name, line: string) => void

/** The raw streams for output that is allowed: pictures, JSON and answers. */
export interface HeldOutput {
  readonly stdout: Stream
  readonly stderr: Stream
  /** Without it what plugins write is dropped. */
  onStray: OnStray | undefined
  /** Gives the streams back as they were. */
  release(): void
}

export function holdOutput({ stdout, stderr }: Readonly<Record<Name, Stream>> = process): HeldOutput {
  const own = { stdout: through(stdout), stderr: through(stderr) }
  const giveBack = [
    hold(stdout, (plugin, line) => held.onStray?.(plugin, 'stdout', line)),
    hold(stderr, (plugin, line) => held.onStray?.(plugin, 'stderr', line)),
  ]
  const release = () => {
    for (const each of giveBack) each()
  }
  const held: HeldOutput = { ...own, onStray: undefined, release }
  return held
}

/** The stream as it is now, whatever becomes of its `write`. */
function through(stream: Stream): Stream {
  const write = stream.write.bind(stream)
  return new Proxy(stream, {
    get(target, key) {
      if (key === 'write') return write
      const value: unknown = Reflect.get(target, key, target)
      return typeof value === 'function' ? value.bind(target) : value
    },
    set: (target, key, value) => Reflect.set(target, key, value, target),
  })
}

/** Takes what plugins write to a stream; returns what undoes it. */
function hold(stream: Stream, onLine: (plugin: string, line: string) => void): () => void {
  const { write } = stream
  const parts: Map<string, string> = new Map()
  const take = (plugin: string, text: string) => {
    const lines = `${parts.get(plugin) ?? ''}${text}`.split('\n')
    parts.set(plugin, lines.pop() ?? '')
    for (const line of lines) if (line.trim()) onLine(plugin, line)
  }
  stream.write = ((chunk: string | Uint8Array, ...rest: unknown[]): boolean => {
    const owner = currentOwner()
    const plugin = owner ? owner.name : findRunningPlugin()
    if (plugin === undefined || owner === kernelOwner) return write.call(stream, chunk, ...(rest as []))
    take(plugin, typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString())
    const done = rest.find((each) => typeof each === 'function') as (() => void) | undefined
    if (done) queueMicrotask(done)
    return true
  }) as Stream['write']
  return () => {
    stream.write = write
  }
}
