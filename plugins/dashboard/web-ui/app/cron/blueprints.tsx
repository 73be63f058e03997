/** Jobs to fill in, and jobs that svc suggests. */
import { type Signal, signal, useSignal } from '@preact/signals'
import { useMemo } from 'preact/hooks'
import { useLocation, useSearch } from 'wouter-preact'
import { ApiError, useResource } from '../client/api.ts'
import { useToggle } from '../client/fields.ts'
import { t } from '../client/language.ts'
import { attempt, notify } from '../client/notices.ts'
import { api, type ResultOf } from '../client/typed.ts'
import { FormDialog } from '../ui/form-dialog.tsx'
import { Badge, Button, Card, Loaded } from '../ui/parts.tsx'
import { type Blueprint, BlueprintField } from './blueprint-field.tsx'

type Suggestion = ResultOf<'GET', '/api/cron/suggestions'>['suggestions'][number]

/** `added` is called when there is another job. */
export function Blueprints({ added }: { added: () => void }) {
  const listed = useResource((signal) => api.get('/api/cron/blueprints', {}, signal), [])
  const wanted = new URLSearchParams(useSearch()).get('blueprint')
  return (
    <>
      <Suggestions added={added} />
      <Loaded from={listed}>
        {({ blueprints, problems }) => (
          <div class="cards spaced">
            {problems.map(({ skill, reason }) => (
              <Card key={skill} tone="warning" title={skill}>
                <p>{t('The blueprint of the skill {skill} is not used: {reason}.', { skill, reason })}</p>
              </Card>
            ))}
            {blueprints.map((each) => (
              <BlueprintCard key={each.key} blueprint={each} isWanted={each.key === wanted} added={added} />
            ))}
          </div>
        )}
      </Loaded>
    </>
  )
}

function Suggestions({ added }: { added: () => void }) {
  const listed = useResource((signal) => api.get('/api/cron/suggestions', {}, signal), [])
  const accept = ({ id, title }: Suggestion) =>
    attempt(
      () => api.post('/api/cron/suggestions/:id/accept', undefined, { id: String(id) }),
      t('Added {name}', { name: title }),
    ).then(() => {
      listed.reload()
      added()
    })
  const dismiss = ({ id, title }: Suggestion) =>
    attempt(
      () => api.post('/api/cron/suggestions/:id/dismiss', undefined, { id: String(id) }),
      t('{title} is not suggested again.', { title }),
    ).then(listed.reload)
  return (
    <Loaded from={listed}>
      {({ suggestions }) =>
        suggestions.length > 0 && (
          <div class="cards spaced">
            {suggestions.map((each) => (
              <Card key={each.id} title={each.title} actions={<Badge tone="ok">{t('Suggested')}</Badge>}>
                <p>
                  <code>{each.schedule}</code>
                </p>
                <p class="dim">{each.reason}</p>
                <p dir="auto">{each.prompt}</p>
                <p class="actions">
                  <Button title={each.title} onClick={() => accept(each)}>
                    {t('Accept')}
                  </Button>
                  <Button kind="quiet" title={each.title} onClick={() => dismiss(each)}>
                    {t('Dismiss')}
                  </Button>
                </p>
              </Card>
            ))}
          </div>
        )
      }
    </Loaded>
  )
}

function BlueprintCard({ blueprint, isWanted, added }: { blueprint: Blueprint; isWanted: boolean; added: () => void }) {
  const filling = useToggle()
  const [, navigate] = useLocation()
  const close = () => {
    filling.off()
    // Else the form would open again with the tab.
    if (isWanted) navigate('/cron', { replace: true })
  }
  return (
    <Card title={blueprint.title} actions={<Badge>{blueprint.category}</Badge>}>
      <p>{blueprint.description}</p>
      <p class="actions">
        <Button onClick={filling.on}>{t('Use {name}', { name: blueprint.title })}</Button>
      </p>
      {(filling.isOn || isWanted) && <BlueprintDialog blueprint={blueprint} onClose={close} done={added} />}
    </Card>
  )
}

function BlueprintDialog({
  blueprint,
  onClose,
  done,
}: {
  blueprint: Blueprint
  onClose: () => void
  done: () => void
}) {
  const values = useMemo<ReadonlyMap<string, Signal<string>>>(
    () => new Map(blueprint.fields.map((field) => [field.name, signal(field.default ?? '')])),
    [],
  )
  const problem = useSignal<{ readonly param?: unknown; readonly text: string } | undefined>(undefined)
  const add = async () => {
    try {
      const given = Object.fromEntries([...values].map(([name, value]) => [name, value.value]))
      const { job } = await api.post('/api/cron/blueprints/instantiate', { blueprint: blueprint.key, values: given })
      notify(t('Added {name}', { name: job.name }), 'ok')
      done()
      onClose()
    } catch (error) {
      const { message: text } = error as Error
      const { param } = (error instanceof ApiError ? error.body : {}) as { readonly param?: unknown }
      if (values.has(String(param))) problem.value = { param, text }
      else notify(text, 'error')
    }
  }
  return (
    <FormDialog title={blueprint.title} action={t('Add')} onSubmit={add} onClose={onClose}>
      <p>{blueprint.description}</p>
      {blueprint.fields.map((field) => (
        <BlueprintField
          key={field.name}
          field={field}
          value={values.get(field.name) as Signal<string>}
          problem={problem.value?.param === field.name ? problem.value.text : undefined}
        />
      ))}
    </FormDialog>
  )
}
