/** Signing in by another program: its tokens are read from its file, and it is named when they have ended. */
import { Clock, Random } from 'svc/sdk'
import { writeAtomically } from 'svc/sdk/kit/files'
import { isEndedSignIn, postToken, readTokens as readAnswer, signInError } from 'svc/sdk/kit/oauth'
import { withFileLock } from 'svc/sdk/kit/process'
import type { OAuthTokens } from 'svc/sdk/provider'
import type { SignInPerson } from 'svc/sdk/sign-in'
import type { Program } from './programs.ts'
import { type Deps, getPath, readFile, readTokens } from './token-file.ts'

const WAIT_MS = 15 * 60_000
const INTERVAL_MS = 2000
const LOCK_MS = 15_000
/** A token that ends during the call is no use. */
const SKEW_MS = 60_000

/** What the program has kept; without that the person is told to run it, and its file is waited for. */
export async function signIn(
  program: Program,
  person: SignInPerson,
  deps: Deps,
  signal: AbortSignal,
): Promise<OAuthTokens> {
  const clock = deps.use(Clock)
  const end = clock.monotonic() + WAIT_MS
  let isShown = false
  while (true) {
    const found = readTokens(program, deps)
    if (found && (isGood(found, deps) || program.renewal))
      return withoutRefreshToken(await renew(program, deps, signal))
    if (!isShown) person.show({ kind: 'run-command', command: program.command })
    isShown = true
    if (clock.monotonic() >= end)
      throw signInError(
        'SIGN_IN_EXPIRED',
        `${program.label} has not signed in. Run \`${program.command}\`, and begin again.`,
      )
    await clock.sleep(INTERVAL_MS, signal)
  }
}

/** The tokens of the file while they are good; else renewed ones. One process renews, the others read what it wrote. */
export async function renew(program: Program, deps: Deps, signal: AbortSignal): Promise<OAuthTokens> {
  const { label, command, renewal } = program
  const found = readTokens(program, deps)
  if (found && isGood(found, deps)) return found
  if (!found || !renewal || found.refreshToken === undefined) throw ended(label, command)
  const path = getPath(program, deps)
  const [clock, random] = [deps.use(Clock), deps.use(Random)]
  const onTimeout = () => signInError('SIGN_IN_FAILED', `Another process keeps ${path} locked. Try again.`)
  return withFileLock({ file: `${path}.svc-lock`, clock, random, waitMs: LOCK_MS, onTimeout }, async () => {
    const now = readTokens(program, deps)
    if (now && isGood(now, deps)) return now
    const fields = {
      grant_type: 'refresh_token',
      refresh_token: now?.refreshToken ?? '',
      client_id: renewal.clientId,
    }
    try {
      const tokens = readAnswer(await postToken({ url: renewal.url, label, fields, signal }, deps), { label }, deps)
      const file = {
        ...readFile(program, deps),
        access_token: tokens.accessToken,
        ...(tokens.refreshToken === undefined ? {} : { refresh_token: tokens.refreshToken }),
        ...(tokens.expiresAt === undefined ? {} : { expiry_date: tokens.expiresAt }),
      }
      await writeAtomically(path, `${JSON.stringify(file, undefined, 2)}\n`, { mode: 0o600 })
      return program.read(file) ?? tokens
    } catch (error) {
      throw isEndedSignIn(error) ? ended(label, command, error) : error
    }
  })
}

/** The program's own: it stays in its file, which is read again. */
export function withoutRefreshToken({ refreshToken: _, ...tokens }: OAuthTokens): OAuthTokens {
  return tokens
}

function isGood({ expiresAt }: OAuthTokens, deps: Deps): boolean {
  return expiresAt === undefined || expiresAt - SKEW_MS > deps.use(Clock).now()
}

/** Not for good: the person runs the program, and the next call finds its tokens. */
function ended(label: string, command: string, cause?: unknown) {
  return signInError('SIGN_IN_FAILED', `The sign-in of ${label} has ended. Run \`${command}\` in a shell.`, cause)
}
