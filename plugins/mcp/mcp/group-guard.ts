/**
 * A small process that outlives svc by a moment: when svc is killed without a chance to clean up, its end of a pipe closes, and
 * the process groups of the servers that still run are ended. On POSIX systems.
 */
import type { ChildProcess } from 'node:child_process'

const SCRIPT = `groups=
while read -r verb group; do
  case $verb in
    add) groups="$groups $group" ;;
    end) exit ;;
    remove)
      kept=
      for each in $groups; do [ "$each" = "$group" ] || kept="$kept $each"; done
      groups=$kept ;;
  esac
done
for signal in TERM KILL; do
  for each in $groups; do kill -"$signal" -- "-$each" 2>/dev/null; done
  sleep 1
done`

export class GroupGuard {
  #child: ChildProcess | undefined
  readonly #groups = new Set<number>()

  /** Watches over a process group from now on. */
  add(group: number): void {
    this.#groups.add(group)
    this.#begin()
    this.#child?.stdin?.write(`add ${group}\n`)
  }

  /** The group has ended. With the last one the guard ends, too. */
  remove(group: number): void {
    if (!this.#groups.delete(group)) return
    this.#child?.stdin?.write(`remove ${group}\n`)
    if (this.#groups.size > 0) return
    this.#child?.stdin?.end('end\n')
    this.#child = undefined
  }

  #begin(): void {
    if (this.#child !== undefined || process.platform === 'win32') return
    // Here and not above: most runs start no server, and the module takes time to load.
    const { spawn } = process.getBuiltinModule('node:child_process')
    const child = spawn('/bin/sh', ['-c', SCRIPT], {
      // A new session, so that Ctrl-C and a closed terminal do not end it before its work is done.
      detached: true,
      cwd: '/',
      env: { PATH: '/usr/bin:/bin' },
      stdio: ['pipe', 'ignore', 'ignore'],
    })
    // Without a shell nothing is guarded; servers still end with their input.
    child.on('error', () => undefined)
    child.stdin.on('error', () => undefined)
    child.unref()
    ;(child.stdin as unknown as { unref?(): void }).unref?.()
    this.#child = child
  }
}
