/** Ends a program together with what it started. */

/**
 * Sends a signal to the process group of a child process that was started with `detached: true`, so that it also reaches the
 * programs that it started. Does nothing if the process was not started or its group has ended. Windows has no groups: there it
 * reaches the process only.
 * @since 0.2
 */
export function killGroup(pid: number | undefined, signal: NodeJS.Signals): void {
  if (pid === undefined) return
  try {
    process.kill(process.platform === 'win32' ? pid : -pid, signal)
  } catch (error) {
    // ESRCH: all of it has ended. EPERM: what is left of it waits to be noticed by its parent (macOS).
    const { code } = error as NodeJS.ErrnoException
    if (code !== 'ESRCH' && code !== 'EPERM') throw error
  }
}
