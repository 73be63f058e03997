/** The environment of commands: that of this process, without secrets and without what npm and Node left there. */

/** Words that end the name of a credential, with a number or the kind of its value behind them. */
const SECRET_NAME = new RegExp(
  '(^|_)(' +
    '(API|ACCESS|PRIVATE|SECRET|SIGNING|ENCRYPTION|MASTER|ACCOUNT)_?KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|PASS|PWD|PAT|' +
    'CREDENTIALS?|AUTH|JWT|COOKIE|CONNECTION_STRING|WEBHOOK_URL' +
    ')(_?(\\d+|ID|FILE|BASE|JSON|BASE64|B64|CONFIG|URI|RELATIVE_URI|FULL_URI))?$',
  'i',
)
/** Of programs that name theirs in another way. */
const KNOWN_NAME = /^(PGPASSWORD|SSHPASS|FASTLANE_SESSION|NETRC|AWS_CONTAINER_.*)$/i
/** The folders of a shell are no passwords. */
const FOLDER_NAME = /^(OLD)?PWD$/i
/** An address with a user and a password. */
const SECRET_VALUE = /^[a-z][a-z0-9+.-]*:\/\/[^\s/?#@:]*:[^\s/?#@]+@/i
const OWN_NAME = /^(npm_.*|NODE_OPTIONS|NODE_V8_COVERAGE|INIT_CWD)$/i
/** Never taken away, even when a secret happens to be part of them: no command would work without. */
const ALWAYS_KEPT = new Set(['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'LANG', 'TMPDIR', 'PWD', 'SystemRoot'])

/** Whether a name is one under which people keep secrets. */
export function looksSecret(name: string): boolean {
  return (SECRET_NAME.test(name) && !FOLDER_NAME.test(name)) || KNOWN_NAME.test(name)
}

/**
 * A scrubbed copy of `from`. `mask` replaces known secrets in a text: a value it changes holds one and is left out.
 * `isDeclared` says which names plugins declare as secrets. Names in `passthrough` are always kept.
 */
export function childEnvironment(
  from: Readonly<Record<string, string | undefined>>,
  passthrough: readonly string[],
  mask: (text: string) => string,
  isDeclared: (name: string) => boolean = () => false,
): Record<string, string> {
  const kept: Record<string, string> = {}
  for (const [name, value] of Object.entries(from)) {
    if (value === undefined) continue
    const isNamedSo = looksSecret(name) || isDeclared(name) || OWN_NAME.test(name)
    const holdsSecret = () => !ALWAYS_KEPT.has(name) && (SECRET_VALUE.test(value) || mask(value) !== value)
    if (passthrough.includes(name) || !(isNamedSo || holdsSecret())) kept[name] = value
  }
  return { ...kept, TERM: 'dumb' }
}
