/** An action that outlasts its request: begun, followed, and what it said. */
import { useSignal } from '@preact/signals'
import { CircleAlert, CircleCheck } from 'lucide-preact'
import { useEffect } from 'preact/hooks'
import { ApiError, useResource } from '../client/api.ts'
import { t } from '../client/language.ts'
import { attempt } from '../client/notices.ts'
import { api, type ResultOf } from '../client/typed.ts'

export type Action = ResultOf<'GET', '/api/actions/:name/status'>
/** What a route answers that begins one. */
export interface Begun {
  readonly name: string
  readonly started_at: number
}

const BUSY_MS = 700

/** Null for one that this server does not know: it was begun by the process before. */
export async function readAction(name: string | undefined, signal: AbortSignal): Promise<Action | null> {
  if (name === undefined) return null
  try {
    return await api.get('/api/actions/:name/status', { name }, signal)
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return null
    throw error
  }
}

/** The actions of one card. `onEnd` is called when one that was begun here has ended. */
export function useAction(onEnd: () => void = () => {}) {
  const begun = useSignal<Begun | undefined>(undefined)
  const everyMs = useSignal<number | undefined>(undefined)
  const { name, started_at: at } = begun.value ?? {}
  const { data } = useResource((signal) => readAction(name, signal), [name, at], everyMs.value)
  // What was read before is of the action before.
  const action = data && data.name === name && data.started_at === at ? data : undefined
  const isBusy = begun.value !== undefined && (action === undefined || action.running)
  useEffect(() => {
    everyMs.value = isBusy ? BUSY_MS : undefined
    if (!isBusy && begun.value) onEnd()
  }, [isBusy, at])
  /** Does nothing more where the route refuses: that is told. */
  const begin = async (ask: () => Promise<Begun>) => {
    const done = await attempt(ask)
    if (done) begun.value = done
  }
  return { action, isBusy, begin, name }
}

/** What an action says, and how it ended. */
export function Progress({ action, label }: { action: Action; label: string }) {
  const { lines, running, error, exit_code: code } = action
  return (
    <section class="operation" aria-label={label}>
      {lines.length > 0 && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reachable by keyboard
        <pre class="tool-text" tabIndex={0} dir="ltr">
          {lines.join('\n')}
        </pre>
      )}
      <p role="status">
        {running && (
          <>
            <span class="dots" aria-hidden="true" />
            {t('Working…')}
          </>
        )}
        {!running && !error && (
          <>
            <CircleCheck size={15} class="ok" aria-hidden="true" />{' '}
            {code === 0 ? t('Done.') : t('Done: there are findings.')}
          </>
        )}
      </p>
      {error && (
        <p class="finding problem" role="alert">
          <CircleAlert size={15} aria-hidden="true" /> <span>{error.message}</span>
        </p>
      )}
    </section>
  )
}
