/** What a shell hands to another one of its session: the folder and the exported variables. */
import type { Shell } from './shell.ts'

/** As the other shell reads it. */
export interface CarriedState {
  readonly cwd: string
  /** `declare -x NAME="value"` or `export NAME='value'`, a line each. */
  readonly exports: string
}

const MAX_BYTES = 256 * 1024
const LIMIT_MS = 5000
/** Of the shell itself, or of what it was granted. */
const OWN = [
  ...['SVC_SHELL', 'HOME', 'TMPDIR', 'PWD', 'OLDPWD', 'SHLVL', '_', 'SSH_AUTH_SOCK', 'DOCKER_HOST', 'DISPLAY'],
  ...['WAYLAND_DISPLAY', 'XDG_RUNTIME_DIR', 'http_proxy', 'https_proxy', 'HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY'],
  ...['all_proxy', 'no_proxy', 'NO_PROXY'],
]

/** Of an idle shell, which stays as it is. */
export async function readState(shell: Shell): Promise<CarriedState> {
  const chunks: Buffer[] = []
  const command = `(\\command unset ${OWN.join(' ')} 2>/dev/null; \\command export -p)`
  const { end } = await shell.run(command, { timeoutMs: LIMIT_MS, onOutput: (chunk) => chunks.push(chunk) })
  const exports = Buffer.concat(chunks)
  return { cwd: shell.cwd, exports: end === 'done' && exports.length <= MAX_BYTES ? exports.toString() : '' }
}

/** A folder that it does not see leaves it where it is. */
export async function enterState(shell: Shell, { cwd, exports }: CarriedState): Promise<void> {
  const enter = `\\command cd -- '${cwd.replaceAll("'", "'\\''")}' 2>/dev/null`
  await shell.run(`${exports}\n${enter}`, { timeoutMs: LIMIT_MS, onOutput: () => undefined })
}
