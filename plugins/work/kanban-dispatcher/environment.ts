/** The environment of programs that are run for a task, other than workers: what they need, by name, and no secret. */

const NAMES = ['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'LANG', 'LC_ALL', 'LC_CTYPE', 'TZ', 'TMPDIR', 'SystemRoot']

/** `mask` replaces known secrets in a text; a value that it changes is left out. */
export function cleanEnvironment(
  get: (name: string) => string | undefined,
  mask: (text: string) => string,
): Record<string, string> {
  const kept = NAMES.flatMap((name) => {
    const value = get(name)
    return value === undefined || mask(value) !== value ? [] : [[name, value] as const]
  })
  return { PATH: '/usr/local/bin:/usr/bin:/bin', ...Object.fromEntries(kept) }
}
