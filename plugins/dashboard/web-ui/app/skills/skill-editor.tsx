/** A skill is written or changed: its text, what the scan found, and what to do when another window changed it. */
import { useSignal } from '@preact/signals'
import { Pencil, Plus } from 'lucide-preact'
import { ApiError, useResource } from '../client/api.ts'
import { bind, useToggle } from '../client/fields.ts'
import { t } from '../client/language.ts'
import { notify } from '../client/notices.ts'
import { api } from '../client/typed.ts'
import type { EditorProps } from '../settings/editor.tsx'
import { lazy } from '../ui/lazy.tsx'
import { Button, Dialog, Loaded, TextField } from '../ui/parts.tsx'
import { Refusal } from '../ui/refusal.tsx'

const Editor = lazy<EditorProps>(async () => (await import('../settings/editor.tsx')).Editor)

interface EditorDialogProps {
  onClose(): void
  done(): void
}

/** What a new skill begins with. */
function createTemplate(): string {
  return `---\nname: my-skill\ndescription: ${t('What it does, and when to use it')}\n---\n\n# ${t('Steps')}\n\n1. \n`
}

/** A button that opens the editor for a new skill. */
export function NewSkill({ done }: Pick<EditorDialogProps, 'done'>) {
  const open = useToggle()
  return (
    <>
      <Button icon={Plus} onClick={open.on}>
        {t('New skill')}
      </Button>
      {open.isOn && <NewSkillDialog onClose={open.off} done={done} />}
    </>
  )
}

/** A button that opens the editor for a skill. */
export function EditSkill({ name, done }: Pick<EditorDialogProps, 'done'> & { readonly name: string }) {
  const open = useToggle()
  return (
    <>
      <Button kind="quiet" icon={Pencil} label={t('Edit {name}', { name })} onClick={open.on} />
      {open.isOn && <EditSkillDialog name={name} onClose={open.off} done={done} />}
    </>
  )
}

function NewSkillDialog({ onClose, done }: EditorDialogProps) {
  const category = useSignal('')
  return (
    <Dialog title={t('New skill')} class="wide" onClose={onClose}>
      <TextField label={t('Category')} maxLength={64} {...bind(category)} />
      <SkillForm
        first={createTemplate()}
        onClose={onClose}
        done={done}
        save={(content, accept) => {
          const folder = category.value.trim() === '' ? {} : { category: category.value.trim() }
          return api.post('/api/skills', { content, accept, ...folder })
        }}
      />
    </Dialog>
  )
}

function EditSkillDialog({ name, onClose, done }: EditorDialogProps & { readonly name: string }) {
  const source = useResource((signal) => api.get('/api/skills/source', { name }, signal), [name])
  return (
    <Dialog title={name} class="wide" onClose={onClose}>
      <Loaded from={source}>
        {({ content: first, digest }) => (
          <SkillForm
            key={digest}
            first={first}
            onClose={onClose}
            done={done}
            save={(content, accept) => api.put('/api/skills/content', { name, content, digest, accept })}
          />
        )}
      </Loaded>
    </Dialog>
  )
}

interface SkillFormProps extends EditorDialogProps {
  readonly first: string
  save(content: string, accept: boolean): Promise<unknown>
}

function SkillForm({ first, onClose, done, save }: SkillFormProps) {
  const text = useSignal(first)
  const refused = useSignal<ApiError | undefined>(undefined)
  const write = async (accept: boolean) => {
    try {
      await save(text.value, accept)
      notify(t('Saved'), 'ok')
      done()
      onClose()
    } catch (error) {
      if (error instanceof ApiError) refused.value = error
      else notify((error as Error).message, 'error')
    }
  }
  return (
    <div class="form">
      <Editor
        label="SKILL.md"
        text={first}
        isPlain
        onChange={(next) => {
          text.value = next
        }}
      />
      {refused.value && (
        <Refusal text={refused.value.message}>
          {(refused.value.body as { code?: string } | undefined)?.code === 'skill_refused' && (
            <Button kind="danger" onClick={() => write(true)}>
              {t('Save it all the same')}
            </Button>
          )}
        </Refusal>
      )}
      <div class="actions end">
        <Button onClick={onClose}>{t('Cancel')}</Button>
        <Button kind="primary" onClick={() => write(false)}>
          {t('Save')}
        </Button>
      </div>
    </div>
  )
}
