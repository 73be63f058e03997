/** The text of an entry is changed, unless it was changed elsewhere meanwhile. */
import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { useResource } from '../client/api.ts'
import { t } from '../client/language.ts'
import { notify } from '../client/notices.ts'
import { api } from '../client/typed.ts'
import { Button, Dialog, Field, Loaded } from '../ui/parts.tsx'
import { Refusal } from '../ui/refusal.tsx'
import type { Entry } from './graph.ts'

interface EntryDialogProps {
  readonly entry: Entry
  onClose(): void
  done(): void
}

export function EntryDialog({ entry: { id, title }, onClose, done }: EntryDialogProps) {
  const entry = useResource((signal) => api.get('/api/learning/node', { id }, signal), [id])
  return (
    <Dialog title={title} class="wide" onClose={onClose}>
      <Loaded from={entry}>
        {({ content }) => <EntryForm id={id} before={content} onClose={onClose} done={done} />}
      </Loaded>
    </Dialog>
  )
}

interface EntryFormProps extends Omit<EntryDialogProps, 'entry'> {
  readonly id: string
  readonly before: string
}

function EntryForm({ id, before, onClose, done }: EntryFormProps) {
  const text = useSignal(before)
  const refused = useSignal<string | undefined>(undefined)
  const area = useRef<HTMLTextAreaElement>(null)
  // The window opened before its text was there.
  useEffect(() => area.current?.focus(), [])
  const save = async () => {
    try {
      await api.put('/api/learning/node', { id, content: text.value, before })
      notify(t('Saved'), 'ok')
      done()
      onClose()
    } catch (error) {
      // What was typed stays where it was refused.
      refused.value = (error as Error).message
    }
  }
  return (
    <div class="form">
      <Field label={t('Text')}>
        {(field) => (
          <textarea
            id={field}
            class="input"
            rows={14}
            value={text.value}
            ref={area}
            onInput={(event) => (text.value = event.currentTarget.value)}
          />
        )}
      </Field>
      {refused.value !== undefined && <Refusal text={refused.value} />}
      <div class="actions end">
        <Button onClick={onClose}>{t('Cancel')}</Button>
        <Button kind="primary" disabled={text.value.trim() === '' || text.value === before} onClick={save}>
          {t('Save')}
        </Button>
      </div>
    </div>
  )
}
