/** What people read about keys. */
import { SvcError } from 'svc/sdk'
import { isReady, type Key } from './key.ts'

/** Every key was revoked. */
export function allDead(provider: string, keys: readonly Key[]): SvcError {
  const message = `${provider} has revoked ${keys.length === 1 ? 'its key' : `all ${keys.length} keys`}${lastWord(keys)} Add a new one with \`svc auth add ${provider}\`, or try the old with \`svc auth reset ${provider}\`.`
  return new SvcError('CREDENTIALS_DEAD', message, { status: 401 })
}

/** Every key that is not dead rests. */
export function allResting(keys: readonly Key[], now: number): SvcError {
  const provider = keys[0]?.provider ?? ''
  const resting = keys.filter(({ status }) => status === 'exhausted')
  const first = Math.min(...resting.map(({ resetAt }) => resetAt ?? now))
  const which = keys.length === 1 ? `The key of ${provider} rests` : `All ${keys.length} keys of ${provider} rest`
  const message = `${which} until ${new Date(first).toISOString()} (in ${duration(first - now)})${lastWord(resting)} Add another with \`svc auth add ${provider}\`, or try again now with \`svc auth reset ${provider}\`.`
  return new SvcError('CREDENTIALS_RESTING', message, { status: 429 })
}

/** For `svc model list`: what is there, or what is missing. */
export function describeKeys(
  keys: readonly Key[],
  keyNames: readonly string[],
  { now, getSecretSource }: { readonly now: number; getSecretSource(name: string): string | undefined },
): { readonly ready: boolean; readonly detail: string } {
  if (keys.length === 0)
    return {
      ready: false,
      detail: keyNames.length > 0 ? `${keyNames[0]} is not set` : 'it needs a sign-in; see `svc auth add`',
    }
  const ready = keys.filter((key) => isReady(key, now))
  if (ready.length === 0) return { ready: false, detail: 'its keys rest or were revoked; see `svc auth list`' }
  const [first] = ready
  if (first?.home === 'variable') return { ready: true, detail: `${first.id} is set (${getSecretSource(first.id)})` }
  if (first?.home === 'ambient') return { ready: true, detail: first.label }
  const count = ready.length === 1 ? 'one key' : `${ready.length} keys`
  return { ready: true, detail: `${count} in auth.json` }
}

/** `45 s`, `12 min`, `3 h`: rounded up. */
function duration(ms: number): string {
  const seconds = Math.ceil(ms / 1000)
  if (seconds < 90) return `${seconds} s`
  const minutes = Math.ceil(seconds / 60)
  return minutes < 90 ? `${minutes} min` : `${Math.ceil(minutes / 60)} h`
}

function lastWord(keys: readonly Key[]): string {
  const said = keys.find(({ error }) => error !== undefined)?.error
  return said === undefined ? '.' : `: ${said}`
}
