/** What the agent remembers: entries that the person adds, changes, confirms and removes. */
import { useSignal } from '@preact/signals'
import { Brain, Plus, Trash2 } from 'lucide-preact'
import { useResource } from '../client/api.ts'
import { number, t } from '../client/language.ts'
import { attempt } from '../client/notices.ts'
import { api, type ResultOf } from '../client/typed.ts'
import { Badge, Button, Card, Confirm, Dialog, Empty, Loaded, Page, TextField } from '../ui/parts.tsx'

type Memory = ResultOf<'GET', '/api/memory'>
type Entry = Memory['entries'][number]
type Target = Entry['target']

/** What waits for an answer. */
type Asked =
  | { readonly kind: 'remove'; readonly entry: Entry }
  | { readonly kind: 'edit'; readonly target: Target; readonly entry?: Entry }
  | { readonly kind: 'reset'; readonly target: Target }

export function MemoryPage() {
  const memory = useResource((signal) => api.get('/api/memory', {}, signal), [])
  const asked = useSignal<Asked | undefined>(undefined)
  const change = async (work: () => Promise<unknown>) => {
    const done = await attempt(work)
    memory.reload()
    return done !== undefined
  }
  const ask = (what: Asked) => {
    asked.value = what
  }
  const close = () => {
    asked.value = undefined
  }
  return (
    <Page title={t('Memory')}>
      <Loaded from={memory}>
        {(data) => (
          <>
            <Entries memory={data} target="user" title={t('About you')} ask={ask} change={change} />
            <Entries memory={data} target="memory" title={t('Notes of the agent')} ask={ask} change={change} />
          </>
        )}
      </Loaded>
      {asked.value && <Question asked={asked.value} change={change} onClose={close} />}
    </Page>
  )
}

interface EntriesProps {
  readonly memory: Memory
  readonly target: Target
  readonly title: string
  ask(what: Asked): void
  change(work: () => Promise<unknown>): Promise<boolean>
}

function Entries({ memory, target, title, ask, change }: EntriesProps) {
  const entries = memory.entries.filter((entry) => entry.target === target)
  const file = memory.builtin_files.find((each) => each.target === target)
  const confirm = ({ content }: Entry) =>
    change(() => api.put('/api/memory/entries', { target, content, confirmed: true }))
  return (
    <Card
      title={title}
      actions={
        <>
          <Button icon={Plus} onClick={() => ask({ kind: 'edit', target })}>
            {t('Add')}
          </Button>
          <Button
            icon={Trash2}
            kind="danger"
            disabled={entries.length === 0}
            onClick={() => ask({ kind: 'reset', target })}
          >
            {t('Forget all')}
          </Button>
        </>
      }
    >
      {file && (
        <p class="dim">
          {t('{used} of {limit} characters', { used: number(file.characters), limit: number(file.limit) })}
        </p>
      )}
      {entries.length === 0 && <Empty icon={Brain}>{t('Nothing yet.')}</Empty>}
      <ul class="checks">
        {entries.map((entry) => (
          <li key={entry.index}>
            <p>
              {entry.content} {!entry.confirmed && <Badge tone="warning">{t('not told to the agent yet')}</Badge>}
            </p>
            {entry.origin !== null && <p class="dim">{t('From: {origin}', { origin: entry.origin })}</p>}
            <p class="actions">
              {!entry.confirmed && (
                <Button kind="quiet" onClick={() => confirm(entry)}>
                  {t('Confirm')}
                </Button>
              )}
              <Button kind="quiet" onClick={() => ask({ kind: 'edit', target, entry })}>
                {t('Change')}
              </Button>
              <Button kind="quiet" onClick={() => ask({ kind: 'remove', entry })}>
                {t('Forget')}
              </Button>
            </p>
          </li>
        ))}
      </ul>
    </Card>
  )
}

interface QuestionProps {
  readonly asked: Asked
  change(work: () => Promise<unknown>): Promise<boolean>
  onClose(): void
}

function Question({ asked, change, onClose }: QuestionProps) {
  if (asked.kind === 'edit') return <Editor asked={asked} change={change} onClose={onClose} />
  if (asked.kind === 'reset')
    return (
      <Confirm
        title={t('Forget all')}
        text={t('The file is kept next to it, as .bak, until the next time.')}
        action={t('Forget all')}
        onConfirm={() => change(() => api.post('/api/memory/reset', { target: asked.target, confirm: true }))}
        onClose={onClose}
      />
    )
  const { target, content } = asked.entry
  return (
    <Confirm
      title={t('Forget an entry')}
      text={content}
      action={t('Forget')}
      onConfirm={() => change(() => api.remove('/api/memory/entries', {}, { target, content }))}
      onClose={onClose}
    />
  )
}

interface EditorProps extends QuestionProps {
  readonly asked: Extract<Asked, { kind: 'edit' }>
}

function Editor({ asked: { target, entry }, change, onClose }: EditorProps) {
  const typed = useSignal(entry?.content ?? '')
  const save = async (event: Event) => {
    event.preventDefault()
    const text = typed.value
    const isDone = await change(() =>
      entry
        ? api.put('/api/memory/entries', { target, content: entry.content, replacement: text })
        : api.post('/api/memory/entries', { target, content: text }),
    )
    // What was typed stays where it was refused.
    if (isDone) onClose()
  }
  return (
    <Dialog title={entry ? t('Change an entry') : t('Remember')} onClose={onClose}>
      <form onSubmit={save}>
        <TextField label={t('Text')} value={typed.value} onValue={(value) => (typed.value = value)} />
        <div class="actions end">
          <Button onClick={onClose}>{t('Cancel')}</Button>
          <Button type="submit" kind="primary" disabled={typed.value.trim() === ''}>
            {t('Save')}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
