/** Stacks of code that runs from a script in which many plugins are one text: their places in the files of the plugins. */
import type { StackReader } from '../loader/user-plugin-pack.ts'

/** More frames than Node keeps by default: code of a library may stand between the plugin and what is asked about. */
const FRAMES = 50

const readers = new Set<StackReader>()

/** Returns what takes it off again. */
export function addStackReader(reader: StackReader): () => void {
  readers.add(reader)
  return () => void readers.delete(reader)
}

/** The stack of an error for people and for the log. */
export function readStack(error: Error): string | undefined {
  let stack = error.stack
  for (const reader of readers) if (stack !== undefined) stack = reader.map(stack)
  return stack
}

/** The plugin whose code is on the stack now; known for plugins that a reader was added for. */
export function findRunningPlugin(): string | undefined {
  if (readers.size === 0) return undefined
  const limit = Error.stackTraceLimit
  Error.stackTraceLimit = FRAMES
  const { stack = '' } = new Error('where')
  Error.stackTraceLimit = limit
  for (const reader of readers) {
    const plugin = reader.findPlugin(stack)
    if (plugin !== undefined) return plugin
  }
  return undefined
}
