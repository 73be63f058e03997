/** Permissions of new files. */

/** What a new file gets that is as executable as this one. */
export function usualMode(mode: number, umask: number): number {
  return (mode & 0o100 ? 0o777 : 0o666) & ~umask
}
