/** The environment of a server: what programs need to work, by name, and what its settings state. */
import { AGENT_PROCESS_VARIABLE } from 'svc/sdk/shell'

const NAMES = [
  ...['PATH', 'HOME', 'USER', 'LOGNAME', 'LANG', 'LANGUAGE', 'LC_ALL', 'LC_CTYPE', 'TERM', 'SHELL', 'TMPDIR', 'TZ'],
  ...['XDG_RUNTIME_DIR', 'XDG_CONFIG_HOME', 'XDG_CACHE_HOME', 'XDG_DATA_HOME', 'XDG_STATE_HOME'],
  ...['SystemRoot', 'SYSTEMDRIVE', 'APPDATA', 'LOCALAPPDATA', 'USERPROFILE', 'USERNAME', 'HOMEDRIVE', 'HOMEPATH'],
  ...['TEMP', 'TMP', 'PATHEXT', 'COMSPEC', 'PROGRAMFILES', 'PROCESSOR_ARCHITECTURE'],
]

/** `${env:NAME}` is another way to write `${NAME}`, which the configuration has filled in already. Unset: as it is written. */
export function fillIn(text: string, get: (name: string) => string | undefined): string {
  return text.replace(/\$\{(?:env:)?([A-Za-z_][A-Za-z0-9_]*)\}/g, (whole, name: string) => get(name) ?? whole)
}

/** A copy; `get` looks a variable up. svc refuses to run for what a server starts: the model decides what it does. */
export function serverEnvironment(
  stated: Readonly<Record<string, string>>,
  get: (name: string) => string | undefined,
): Record<string, string> {
  const kept = NAMES.flatMap((name) => {
    const value = get(name)
    return value === undefined || value.startsWith('()') ? [] : [[name, value] as const]
  })
  const own = Object.entries(stated).map(([name, value]) => [name, fillIn(value, get)] as const)
  return {
    PATH: '/usr/local/bin:/usr/bin:/bin',
    ...Object.fromEntries([...kept, ...own]),
    [AGENT_PROCESS_VARIABLE]: 'mcp',
  }
}
