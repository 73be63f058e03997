/** The environment of commands: that of this process, without secrets and without what npm and Node left there. */

const SECRET_NAME = /(^|_)(API_KEY|ACCESS_KEY|PRIVATE_KEY|SECRET_KEY|TOKEN|SECRET|PASSWORD)$/i
const OWN_NAME = /^(npm_.*|NODE_OPTIONS|NODE_V8_COVERAGE|INIT_CWD)$/i
/** Never taken away, even when a secret happens to be part of them: no command would work without. */
const ALWAYS_KEPT = new Set(['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'LANG', 'TMPDIR', 'PWD', 'SystemRoot'])

/** Whether a name is one under which people keep secrets. */
export function looksSecret(name: string): boolean {
  return SECRET_NAME.test(name)
}

/**
 * A scrubbed copy of `from`. `mask` replaces known secrets in a text: a value it changes holds one and is left out.
 * Names in `passthrough` are always kept.
 */
export function childEnvironment(
  from: Readonly<Record<string, string | undefined>>,
  passthrough: readonly string[],
  mask: (text: string) => string,
): Record<string, string> {
  const kept: Record<string, string> = {}
  for (const [name, value] of Object.entries(from)) {
    if (value === undefined) continue
    const hidden = looksSecret(name) || OWN_NAME.test(name) || (!ALWAYS_KEPT.has(name) && mask(value) !== value)
    if (!hidden || passthrough.includes(name)) kept[name] = value
  }
  return { ...kept, TERM: 'dumb' }
}
