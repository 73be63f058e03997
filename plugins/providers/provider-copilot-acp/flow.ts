/** Signing in: the program keeps its own tokens, so a person is told its command, and a session is tried until it opens. */
import { Clock, errorMessage } from 'svc/sdk'
import { signInError } from 'svc/sdk/kit/oauth'
import type { OAuthTokens } from 'svc/sdk/provider'
import type { SignInPerson } from 'svc/sdk/sign-in'
import { CopilotConnection } from './connection.ts'
import type { Deps } from './place.ts'
import { AUTH_REQUIRED, SIGN_IN } from './provider.ts'

const WAIT_MS = 15 * 60_000
const INTERVAL_MS = 5000
/** What the pool notes in the place of a token: svc never sees that of Copilot CLI. */
const NOTE = 'kept-by-copilot-cli'

export async function signIn(person: SignInPerson, deps: Deps, signal: AbortSignal): Promise<OAuthTokens> {
  const clock = deps.use(Clock)
  const end = clock.monotonic() + WAIT_MS
  for (let attempt = 0; ; attempt++) {
    if (await isSignedIn(deps, signal)) return { accessToken: NOTE, account: 'GitHub Copilot CLI' }
    if (attempt === 0) person.show({ kind: 'run-command', command: SIGN_IN })
    if (clock.monotonic() >= end)
      throw signInError('SIGN_IN_EXPIRED', `Copilot CLI has not signed in. Run \`${SIGN_IN}\`, and begin again.`)
    await clock.sleep(INTERVAL_MS, signal)
  }
}

/** Asks a program of its own: one that runs does not notice a sign-in that was made since. */
async function isSignedIn(deps: Deps, signal: AbortSignal): Promise<boolean> {
  let connection: CopilotConnection | undefined
  try {
    connection = await CopilotConnection.open(deps)
    const { sessionId } = await connection.newSession(signal)
    connection.release(sessionId)
    return true
  } catch (error) {
    signal.throwIfAborted()
    if (connection?.codeOf(error) === AUTH_REQUIRED) return false
    throw signInError('SIGN_IN_FAILED', errorMessage(error), error)
  } finally {
    connection?.close()
  }
}
