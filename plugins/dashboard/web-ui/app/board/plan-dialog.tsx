/** What a task would be taken apart into: proposed by a model, changed and accepted by a person. Nothing is written before that. */
import { useSignal } from '@preact/signals'
import { Check, Plus, RotateCw, Trash2 } from 'lucide-preact'
import { useEffect } from 'preact/hooks'
import { useResource } from '../client/api.ts'
import { t } from '../client/language.ts'
import { notify } from '../client/notices.ts'
import { api } from '../client/typed.ts'
import { Button, Dialog, Failed, Field, Loading, Select, TextField } from '../ui/parts.tsx'
import { addPart, changePart, type Draft, type DraftPart, removePart, toDraft, toPlan, waitsFor } from './plan.ts'

interface PlanDialogProps {
  readonly id: string
  onDone(): void
  onClose(): void
}

/** A plan that is closed without a decision is there again when it is opened. */
const drafts = new Map<string, Draft>()

export function PlanDialog({ id, onDone, onClose }: PlanDialogProps) {
  const draft = useSignal<Draft | undefined>(drafts.get(id))
  const failure = useSignal<Error | undefined>(undefined)
  const isAsking = useSignal(false)
  const change = (next: Draft) => {
    draft.value = next
    drafts.set(id, next)
  }
  const ask = async (signal?: AbortSignal) => {
    isAsking.value = true
    failure.value = undefined
    try {
      const { plan, reason } = await api.post('/api/plugins/kanban/tasks/:id/plan', {}, { id }, signal)
      if (plan) change(toDraft(plan))
      else failure.value = new Error(t('Nothing was written: {reason}', { reason: reason ?? '' }))
    } catch (error) {
      if (!signal?.aborted) failure.value = error as Error
    }
    if (!signal?.aborted) isAsking.value = false
  }
  useEffect(() => {
    if (draft.value) return undefined
    const controller = new AbortController()
    void ask(controller.signal)
    return () => controller.abort()
  }, [])
  const accept = async (event: Event) => {
    event.preventDefault()
    if (!draft.value || isAsking.value) return
    isAsking.value = true
    failure.value = undefined
    try {
      const done = await api.put('/api/plugins/kanban/tasks/:id/plan', { plan: toPlan(draft.value) }, { id })
      if (done.ok) {
        drafts.delete(id)
        notify(t('The task was planned.'), 'ok')
        onDone()
        onClose()
      } else failure.value = new Error(t('Nothing was written: {reason}', { reason: done.reason ?? '' }))
    } catch (error) {
      failure.value = error as Error
    }
    isAsking.value = false
  }
  const discard = () => {
    drafts.delete(id)
    onClose()
  }
  return (
    <Dialog title={t('Plan')} class="wide" onClose={onClose}>
      {failure.value && <Failed error={failure.value} />}
      {isAsking.value && !draft.value && <Loading />}
      <form class="form" onSubmit={accept}>
        {draft.value && <DraftView draft={draft.value} change={change} />}
        <div class="actions end">
          <Button icon={Trash2} onClick={discard}>
            {t('Discard')}
          </Button>
          <Button icon={RotateCw} disabled={isAsking.value} onClick={() => ask()}>
            {t('Propose another')}
          </Button>
          <Button icon={Check} type="submit" kind="primary" disabled={!draft.value || isAsking.value}>
            {t('Accept')}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

interface DraftProps {
  readonly draft: Draft
  change(next: Draft): void
}

function DraftView({ draft, change }: DraftProps) {
  const profiles = useResource((signal) => api.get('/api/profiles', {}, signal), [])
  const names = new Set([
    ...(profiles.data?.profiles.map(({ name }) => name) ?? []),
    ...draft.parts.map(({ assignee }) => assignee).filter(Boolean),
  ])
  return (
    <>
      <p class="dim">
        {draft.isFanOut
          ? t('These tasks would be created, and this one would wait for them. Nothing is written before you accept.')
          : t('It would stay one task, with this text. Nothing is written before you accept.')}{' '}
        {draft.rationale}
      </p>
      <ol class="plan">
        {draft.parts.map((part, at) => (
          <li key={part.key}>
            <PartView draft={draft} part={part} at={at} names={[...names]} change={change} />
          </li>
        ))}
      </ol>
      {draft.isFanOut && (
        <Button icon={Plus} onClick={() => change(addPart(draft))}>
          {t('Add a task')}
        </Button>
      )}
    </>
  )
}

interface PartProps extends DraftProps {
  readonly part: DraftPart
  readonly at: number
  readonly names: readonly string[]
}

function PartView({ draft, part, at, names, change }: PartProps) {
  const set = (next: Partial<DraftPart>) => change(changePart(draft, part.key, next))
  const others = draft.parts.filter(({ key }) => key !== part.key)
  return (
    <fieldset class="form">
      <legend>{draft.isFanOut ? t('Task {number}', { number: at + 1 }) : t('The task')}</legend>
      <TextField
        label={t('Title')}
        required={draft.isFanOut}
        maxLength={80}
        value={part.title}
        onValue={(title) => set({ title })}
      />
      <Field label={t('What is to be done')}>
        {(id) => (
          <textarea
            id={id}
            class="input"
            rows={3}
            value={part.body}
            onInput={(event) => set({ body: event.currentTarget.value })}
          />
        )}
      </Field>
      <Select
        label={t('Assignee')}
        value={part.assignee}
        options={[['', t('The default one')], ...names.map((name) => [name, name] as const)]}
        onValue={(assignee) => set({ assignee })}
      />
      {others.length > 0 && (
        <fieldset class="waits">
          <legend>{t('Waits for')}</legend>
          {others.map((other) => (
            <label key={other.key}>
              <input
                type="checkbox"
                checked={part.after.includes(other.key)}
                disabled={waitsFor(draft, other.key, part.key)}
                onChange={(event) =>
                  set({
                    after: event.currentTarget.checked
                      ? [...part.after, other.key]
                      : part.after.filter((key) => key !== other.key),
                  })
                }
              />{' '}
              {draft.parts.indexOf(other) + 1}. {other.title}
            </label>
          ))}
        </fieldset>
      )}
      {draft.isFanOut && (
        <Button
          icon={Trash2}
          kind="quiet"
          disabled={draft.parts.length === 1}
          onClick={() => change(removePart(draft, part.key))}
        >
          {t('Leave out task {number}', { number: at + 1 })}
        </Button>
      )}
    </fieldset>
  )
}
