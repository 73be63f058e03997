/** A file: shown, and edited where it is a text that is shown whole. */
import { useSignal } from '@preact/signals'
import { CodeBlock } from '../chat/markdown.tsx'
import { useResource } from '../client/api.ts'
import { useToggle } from '../client/fields.ts'
import { t } from '../client/language.ts'
import { attempt } from '../client/notices.ts'
import { api, type ResultOf } from '../client/typed.ts'
import { Button, Dialog, Loaded } from '../ui/parts.tsx'

type Entry = ResultOf<'GET', '/api/files'>['entries'][number]

interface Props {
  readonly session: string
  readonly entry: Entry
  readonly onClose: () => void
  readonly changed: () => void
}

export function FileDialog({ session, entry, onClose, changed }: Props) {
  const read = useResource(
    (signal) => api.get('/api/files/read', { session, path: entry.path }, signal),
    [session, entry.path],
  )
  const editing = useToggle()
  const language = entry.name.split('.').at(-1) ?? ''
  return (
    <Dialog title={entry.name} class="wide" onClose={onClose}>
      <Loaded from={read}>
        {({ text, truncated, mtime }) => {
          if (text === null) return <p>{t('This file is no text. Download it to look at it.')}</p>
          if (editing.isOn)
            return (
              <Editor
                text={text}
                save={async (content) => {
                  const body = { path: entry.path, content, mtime, ...(session !== '' && { session }) }
                  if ((await attempt(() => api.post('/api/fs/write-text', body), t('Saved'))) === undefined) return
                  editing.off()
                  read.reload()
                  changed()
                }}
              />
            )
          return (
            <>
              {truncated && <p class="dim">{t('This is only its beginning.')}</p>}
              <CodeBlock text={text} language={language} />
              {!truncated && (
                <div class="actions end">
                  <Button onClick={editing.on}>{t('Edit')}</Button>
                </div>
              )}
            </>
          )
        }}
      </Loaded>
    </Dialog>
  )
}

/** The text stays where it cannot be saved, so that nothing typed is lost. */
function Editor({ text, save }: { text: string; save: (text: string) => Promise<void> }) {
  const edited = useSignal(text)
  return (
    <form
      class="form"
      onSubmit={(event) => {
        event.preventDefault()
        void save(edited.value)
      }}
    >
      <textarea
        class="input code"
        aria-label={t('Text')}
        rows={20}
        spellcheck={false}
        dir="ltr"
        value={edited.value}
        onInput={(event) => {
          edited.value = event.currentTarget.value
        }}
      />
      <div class="actions end">
        <Button type="submit" kind="primary">
          {t('Save')}
        </Button>
      </div>
    </form>
  )
}
