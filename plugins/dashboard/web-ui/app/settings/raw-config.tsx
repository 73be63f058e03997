/** The text of config.yaml. What another window changed meanwhile is merged, or shown as a conflict; nothing is overwritten. */
import { useSignal } from '@preact/signals'
import { Diff } from '../chat/markdown.tsx'
import { ApiError, useResource } from '../client/api.ts'
import { t } from '../client/language.ts'
import { attempt, notify } from '../client/notices.ts'
import { api } from '../client/typed.ts'
import { lazy } from '../ui/lazy.tsx'
import { Button, Card, Loaded } from '../ui/parts.tsx'
import type { EditorProps } from './editor.tsx'

const Editor = lazy<EditorProps>(async () => (await import('./editor.tsx')).Editor)

interface RawConfig {
  readonly yaml: string
  readonly path: string
}

interface Problem {
  readonly severity: 'error' | 'warning'
  readonly path: string
  readonly message: string
  readonly hint?: string
  readonly line?: number
}

/** Both edits of the text that they began with, as diffs. */
interface Conflict {
  readonly message: string
  readonly theirs: string
  readonly mine: string
}

async function explain(
  { message }: ApiError,
  { base, mine }: { readonly base: string; readonly mine: string },
): Promise<Conflict> {
  const [{ createTwoFilesPatch }, { yaml }] = await Promise.all([import('diff'), api.get('/api/config/raw', {})])
  const compare = (text: string) =>
    createTwoFilesPatch('config.yaml', 'config.yaml', base, text, undefined, undefined, { context: 2 })
  return { message, theirs: compare(yaml), mine: compare(mine) }
}

export function RawConfigEditor() {
  const raw = useResource((signal) => api.get('/api/config/raw', {}, signal), [])
  return <Loaded from={raw}>{(data) => <RawForm key={data.yaml} raw={data} reload={raw.reload} />}</Loaded>
}

function RawForm({ raw, reload }: { raw: RawConfig; reload: () => void }) {
  const text = useSignal(raw.yaml)
  const problems = useSignal<readonly Problem[]>([])
  const conflict = useSignal<Conflict | undefined>(undefined)
  const diff = useSignal('')
  const check = () =>
    attempt(async () => {
      const found = await api.post('/api/config/check', { yaml_text: text.value })
      problems.value = found.problems
      if (found.problems.length === 0) notify(t('There are no problems.'), 'ok')
    })
  const save = async () => {
    try {
      const body = { yaml_text: text.value, base: raw.yaml }
      const { change } = await api.put('/api/config/raw', body)
      conflict.value = undefined
      diff.value = change?.diff ?? ''
      notify(change ? t('Saved') : t('Nothing was changed.'), 'ok')
      if (change) reload()
    } catch (error) {
      if (error instanceof ApiError && error.status === 409)
        conflict.value = await explain(error, { base: raw.yaml, mine: text.value })
      else notify((error as Error).message, 'error')
    }
  }
  return (
    <div class="form">
      <p class="dim" dir="ltr">
        {raw.path}
      </p>
      <Editor
        label={t('config.yaml')}
        text={raw.yaml}
        onChange={(next) => {
          text.value = next
        }}
      />
      {conflict.value !== undefined && (
        <Card tone="warning" title={t('Another window changed the same lines')}>
          <p>{conflict.value.message}</p>
          <h3>{t('What the other window changed')}</h3>
          <Diff text={conflict.value.theirs} />
          <h3>{t('What you changed')}</h3>
          <Diff text={conflict.value.mine} />
          <p>{t('Your text is kept here. Copy it, load the file again, and put your change in.')}</p>
          <div class="actions">
            <Button onClick={() => navigator.clipboard.writeText(text.value).then(() => notify(t('Copied'), 'ok'))}>
              {t('Copy my text')}
            </Button>
            <Button onClick={reload}>{t('Load the file again')}</Button>
          </div>
        </Card>
      )}
      {problems.value.map(({ severity, path, message, hint, line }) => (
        <Card key={`${path}${message}`} tone={severity}>
          <p>
            <code>{path}</code> {message} {line !== undefined && <span class="dim">{t('line {line}', { line })}</span>}
          </p>
          {hint && <p class="dim">{hint}</p>}
        </Card>
      ))}
      {diff.value !== '' && <Diff text={diff.value} />}
      <div class="actions">
        <Button kind="primary" onClick={save}>
          {t('Save')}
        </Button>
        <Button onClick={check}>{t('Check')}</Button>
      </div>
    </div>
  )
}
