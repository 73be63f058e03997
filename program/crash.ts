/** Signals and stray errors: which plugin is responsible, and whether the program continues. */
import { readFileSync } from 'node:fs'
import { basename, sep } from 'node:path'
import type { Kernel } from '../kernel/kernel.ts'
import { currentOwner } from '../kernel/owner.ts'
import { errorCode, errorMessage } from '../sdk/errors.ts'
import { readStack } from './stacks.ts'

/** What a run hears of signals. */
export interface Interruption {
  /** Aborted at the first Ctrl-C, SIGTERM or SIGHUP. */
  readonly signal: AbortSignal
  /** The exit code that the signal asks for, once there was one. */
  readonly exitCode: () => number | undefined
  /** While registered, Ctrl-C calls the newest listener instead of ending the run. */
  readonly onInterrupt: (listener: () => void) => () => void
  readonly stop: () => void
}

const codes = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const

/** The first signal asks for an end, the second of Ctrl-C forces it. */
export function onSignals(): Interruption {
  const abort = new AbortController()
  const takers: (() => void)[] = []
  let code: number | undefined
  const heard = (name: keyof typeof codes) => () => {
    const taker = name === 'SIGINT' ? takers.at(-1) : undefined
    if (taker) return taker()
    if (code !== undefined && name === 'SIGINT') process.exit(codes.SIGINT)
    code = codes[name]
    abort.abort(new DOMException('interrupted', 'AbortError'))
  }
  const listeners = Object.keys(codes).map((name) => [name, heard(name as keyof typeof codes)] as const)
  for (const [name, listener] of listeners) process.on(name, listener)
  const stop = () => {
    for (const [name, listener] of listeners) process.off(name, listener)
  }
  const onInterrupt = (listener: () => void) => {
    takers.push(listener)
    return () => {
      const at = takers.indexOf(listener)
      if (at >= 0) takers.splice(at, 1)
    }
  }
  return { signal: abort.signal, exitCode: () => code, onInterrupt, stop }
}

/**
 * An uncaught error. If it was raised by code of a plugin, the plugin is named and the program continues; otherwise
 * `fatal` is called. The returned function takes the handlers off.
 */
export function onStrayErrors(kernel: Kernel, fatal: (error: unknown) => void): () => void {
  const handle = (error: unknown) => {
    const plugin = culprit(kernel, error)
    if (plugin === undefined) return fatal(error)
    kernel.report({ plugin, stage: 'stray', message: errorMessage(error), code: errorCode(error) }, error)
  }
  process.on('uncaughtException', handle)
  process.on('unhandledRejection', handle)
  return () => {
    process.off('uncaughtException', handle)
    process.off('unhandledRejection', handle)
  }
}

/** By the code that was running, else by the plugin whose folder, or bundle of it, comes first in the stack. */
function culprit(kernel: Kernel, error: unknown): string | undefined {
  const owner = currentOwner()
  if (owner) return owner.name
  const stack = error instanceof Error ? (readStack(error) ?? '') : ''
  const places = kernel.plugins.list().flatMap(({ manifest: { name }, dir }) => {
    const bundle = kernel.home.path('cache', 'plugins', `${basename(dir)}-`)
    const at = [`${dir}${sep}`, bundle].map((place) => (dir ? stack.indexOf(place) : -1)).filter((index) => index >= 0)
    return at.length ? [{ name, at: Math.min(...at) }] : []
  })
  return [...places, ...placesInProgram(stack, new URL('.', import.meta.url))].sort((a, b) => a.at - b.at)[0]?.name
}

/** Where a stack is in built-in plugins of the built program: scripts in which each plugin is a function with its name. */
export function placesInProgram(stack: string, folder: URL): { readonly name: string; readonly at: number }[] {
  const texts = new Map<string, readonly string[]>()
  const readScriptLines = (script: string) => {
    const lines = texts.get(script) ?? readFileSync(new URL(`${script}.cjs`, folder), 'latin1').split('\n')
    texts.set(script, lines)
    return lines
  }
  return [...stack.matchAll(/svc\/(program|others)\.cjs:(\d+)/g)].flatMap(({ 1: script, 2: line, index: at }) => {
    const before = readScriptLines(script ?? '').slice(0, Number(line))
    const beginning = before.findLast((text) => /^('[\w-]+'|\(function )\(exports\) \{$/.test(text)) ?? ''
    const name = /^'([\w-]+)'/.exec(beginning)?.[1]
    return name === undefined ? [] : [{ name, at }]
  })
}
