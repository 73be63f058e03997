/** Signals and the end of this process, while a terminal is taken over. */
import type { Clock } from 'svc/sdk'

/** How long a stop may take to reach us. */
const STOP_MS = 50
const ends = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const
/** Our own listeners: without other listeners a signal ends the process as if we did not either. */
const ours = new Set<unknown>()

export interface SignalHandlers {
  /** The process ends: runs to its end at once. */
  ending(): void
  /** SIGTSTP was received. */
  stopping(): void
  /** The process continues after a stop. */
  continued(): void
}

/** Listens until the returned function is called; nothing is left then. */
export function onProcessSignals(handlers: SignalHandlers): () => void {
  const listeners = new Map<string, () => void>([
    ['exit', handlers.ending],
    ['SIGTSTP', handlers.stopping],
    ['SIGCONT', handlers.continued],
  ])
  const off = () => {
    for (const [name, listener] of listeners) {
      process.off(name, listener)
      ours.delete(listener)
    }
  }
  for (const name of ends)
    listeners.set(name, () => {
      // Who else listens brings the process to its end in order, and the terminal is given back then.
      if (!process.listeners(name).every((listener) => ours.has(listener))) return
      handlers.ending()
      off()
      if (process.listenerCount(name) === 0) process.kill(process.pid, name)
    })
  for (const [name, listener] of listeners) {
    ours.add(listener)
    process.on(name, listener)
  }
  return off
}

/** Ctrl-C in a program that has the terminal now is not for us, although we are told of it. */
export function ignoreKeyboardSignals(): () => void {
  const ignore = () => undefined
  const names = ['SIGINT', 'SIGQUIT'] as const
  for (const name of names) process.on(name, ignore)
  return () => {
    for (const name of names) process.off(name, ignore)
  }
}

/**
 * Stops the processes of this terminal's job, as Ctrl-Z does, and resolves when they continue. No listener of ours may
 * be registered for SIGTSTP. If no shell could continue them, the system does not stop them; that case resolves, too.
 */
export function stopJob(clock: Clock): Promise<void> {
  return new Promise((resolve) => {
    const goOn = () => {
      cancel()
      process.off('SIGCONT', goOn)
      resolve()
    }
    const cancel = clock.after(STOP_MS, goOn)
    process.on('SIGCONT', goOn)
    process.kill(0, 'SIGTSTP')
  })
}
