/**
 * Settings of V8 for a process that may be over in a moment. Collecting the old generation while a command starts costs
 * about a tenth of a one-shot, and nothing of it is garbage yet; a young generation that grows at once is copied less often.
 */
import { cachedDataVersionTag, setFlagsFromString } from 'node:v8'

/** A process that lives longer collects as V8 does by default. */
const BRIEF_MS = 1500
/** By then a gateway has connected its platforms. */
const SETTLED_MS = 15_000

const brief = ['--no-incremental-marking', '--semi-space-growth-factor=8']
const usual = ['--incremental-marking', '--semi-space-growth-factor=2']

/**
 * Node's own modules are compiled ahead for the default settings of V8, so those that every command needs are loaded
 * before the settings change.
 */
const needed = [
  'node:async_hooks',
  'node:crypto',
  'node:dns',
  'node:dns/promises',
  'node:fs/promises',
  'node:http',
  'node:perf_hooks',
  'node:stream',
]

let isBrief = false

/** Begins with the settings, and takes them back after a while. */
export function beginBriefly(): void {
  for (const name of needed) process.getBuiltinModule(name)
  for (const flag of brief) setFlagsFromString(flag)
  isBrief = true
  setTimeout(liveOn, BRIEF_MS).unref()
  setTimeout(collectOnce, SETTLED_MS).unref()
}

/**
 * Collects all once (0.1 to 0.2 s). V8 shrinks the young generation, which grew during the start, only then, and an idle process
 * would not come to it: 35 MiB of a gateway. A person at a terminal would notice the pause.
 */
function collectOnce(): void {
  const { isatty } = process.getBuiltinModule('node:tty')
  if (isatty(0) || isatty(1)) return
  const session = new (process.getBuiltinModule('node:inspector').Session)()
  session.connect()
  // Within the answer it would never return.
  session.post('HeapProfiler.collectGarbage', () => setImmediate(() => session.disconnect()))
}

/** Sets the defaults of V8: compiled code is cached for these. */
export function liveOn(): void {
  isBrief = false
  for (const flag of usual) setFlagsFromString(flag)
}

/** Compiled code fits one set of settings: what is used at the beginning of a process is made, and used, with those of that time. */
export function withBriefSettings<T>(work: () => T): T {
  if (isBrief) return work()
  for (const flag of brief) setFlagsFromString(flag)
  try {
    return work()
  } finally {
    for (const flag of usual) setFlagsFromString(flag)
  }
}

/** The same for what is made and used with the defaults. The loader has this module for itself, so V8 is asked what is set. */
export function withUsualSettings<T>(work: () => T): T {
  const before = cachedDataVersionTag()
  for (const flag of usual) setFlagsFromString(flag)
  const wasBrief = cachedDataVersionTag() !== before
  try {
    return work()
  } finally {
    if (wasBrief) for (const flag of brief) setFlagsFromString(flag)
  }
}
