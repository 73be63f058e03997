/** The environment of hooks: what programs need to work, by name. Whatever else svc was started with may hold secrets. */

const NAMES = [
  ...['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'LANG', 'LANGUAGE', 'LC_ALL', 'LC_CTYPE', 'TZ', 'TMPDIR'],
  ...['DISPLAY', 'WAYLAND_DISPLAY', 'XDG_RUNTIME_DIR', 'DBUS_SESSION_BUS_ADDRESS', 'SystemRoot'],
]

/** A copy; `mask` replaces known secrets in a text, and a value that it changes is left out. */
export function hookEnvironment(
  get: (name: string) => string | undefined,
  project: string,
  mask: (text: string) => string,
): Record<string, string> {
  const kept = NAMES.flatMap((name) => {
    const value = get(name)
    return value === undefined || mask(value) !== value ? [] : [[name, value] as const]
  })
  // The names under which scripts that were written for the format look for the project.
  return {
    PATH: '/usr/local/bin:/usr/bin:/bin',
    ...Object.fromEntries(kept),
    CLAUDE_PROJECT_DIR: project,
    SVC_PROJECT_DIR: project,
  }
}
