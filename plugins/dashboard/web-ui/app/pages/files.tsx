/** Files of the folder that a session works in. */
import { useSignal } from '@preact/signals'
import { Download, File as FileIcon, Folder, FolderPlus, Trash2, Upload } from 'lucide-preact'
import { useRef } from 'preact/hooks'
import { useLocation } from 'wouter-preact'
import { useResource } from '../client/api.ts'
import { downloadLarge } from '../client/download.ts'
import { bind, useToggle } from '../client/fields.ts'
import { ago, bytes, t } from '../client/language.ts'
import { attempt, notify } from '../client/notices.ts'
import { recent } from '../client/recent.ts'
import { api, type ResultOf } from '../client/typed.ts'
import { Changes } from '../files/changes.tsx'
import { Checkpoints } from '../files/checkpoints.tsx'
import { FileDialog } from '../files/file-dialog.tsx'
import { isTaken, upload } from '../files/upload.ts'
import { FormDialog } from '../ui/form-dialog.tsx'
import { Button, Card, Confirm, Empty, Loaded, Page, Select, Table, Tabs, TextField } from '../ui/parts.tsx'

type Entry = ResultOf<'GET', '/api/files'>['entries'][number]

export function FilesPage({ session = '' }: { session?: string }) {
  const [, navigate] = useLocation()
  return (
    <Page
      title={t('Files')}
      actions={
        <Select
          isHidden
          label={t('Session')}
          value={session}
          onValue={(id) => navigate(id === '' ? '/files' : `/files/${id}`)}
          options={[
            ['', t('The folder of the dashboard')],
            ...recent.value.map(({ id, title }) => [id, title || t('Without a title')] as const),
          ]}
        />
      }
    >
      <Tabs
        key={session}
        label={t('Files')}
        tabs={[
          { id: 'files', label: t('Files'), body: () => <Files session={session} /> },
          { id: 'changes', label: t('Changes'), body: () => <Changes session={session} /> },
          { id: 'checkpoints', label: t('Checkpoints'), body: () => <Checkpoints session={session} /> },
        ]}
      />
    </Page>
  )
}

function Files({ session }: { session: string }) {
  const folder = useSignal('')
  const open = useSignal<Entry | undefined>(undefined)
  const making = useToggle()
  const listed = useResource(
    (signal) => api.get('/api/files', { session, path: folder.value }, signal),
    [session, folder.value],
  )
  const show = (entry: Entry) => {
    if (entry.is_directory) folder.value = entry.path
    else open.value = entry
  }
  return (
    <Loaded from={listed}>
      {({ root, path, parent, entries, truncated }) => (
        <Card
          title={<code dir="ltr">{path === '' ? root : `${root}/${path}`}</code>}
          actions={
            <>
              <Button icon={FolderPlus} onClick={making.on}>
                {t('New folder')}
              </Button>
              <Uploader session={session} folder={path} done={listed.reload} />
            </>
          }
        >
          {parent !== null && (
            <Button kind="quiet" icon={Folder} onClick={() => (folder.value = parent)}>
              {t('One folder up')}
            </Button>
          )}
          {entries.length === 0 ? (
            <Empty>{t('There is nothing here.')}</Empty>
          ) : (
            <Table label={t('Files')} head={[t('Name'), t('Size'), t('Changed'), '']}>
              {entries.map((entry) => (
                <Row key={entry.path} entry={entry} session={session} show={() => show(entry)} reload={listed.reload} />
              ))}
            </Table>
          )}
          {truncated && <p class="dim">{t('There is more than is shown.')}</p>}
          {open.value && (
            <FileDialog
              session={session}
              entry={open.value}
              onClose={() => (open.value = undefined)}
              changed={listed.reload}
            />
          )}
          {making.isOn && <NewFolder session={session} folder={path} onClose={making.off} done={listed.reload} />}
        </Card>
      )}
    </Loaded>
  )
}

interface RowProps {
  readonly entry: Entry
  readonly session: string
  readonly show: () => void
  readonly reload: () => void
}

function Row({ entry, session, show, reload }: RowProps) {
  const removing = useToggle()
  const { name, path, is_directory: isFolder, size, mtime } = entry
  const body = { path, recursive: isFolder, ...(session !== '' && { session }) }
  const address = `/api/files/download?${new URLSearchParams({ path, ...(session !== '' && { session }) })}`
  return (
    <tr>
      <td>
        <Button kind="quiet" icon={isFolder ? Folder : FileIcon} onClick={show}>
          <span dir="auto">{name}</span>
        </Button>
      </td>
      <td>{isFolder ? '' : bytes(size)}</td>
      <td>{ago(mtime)}</td>
      <td>
        {!isFolder && (
          <Button
            icon={Download}
            kind="quiet"
            label={t('Download {name}', { name })}
            onClick={() => attempt(() => downloadLarge(address, name))}
          />
        )}
        <Button icon={Trash2} kind="quiet" label={t('Remove {name}', { name })} onClick={removing.on} />
        {removing.isOn && (
          <Confirm
            title={t('Remove {name}', { name })}
            text={t('A checkpoint is taken first; it brings the file back.')}
            action={t('Remove')}
            onClose={removing.off}
            onConfirm={() => attempt(() => api.remove('/api/files', {}, body), t('Removed')).then(reload)}
          />
        )}
      </td>
    </tr>
  )
}

interface FolderProps {
  readonly session: string
  readonly folder: string
  readonly done: () => void
}

function NewFolder({ session, folder, onClose, done }: FolderProps & { onClose: () => void }) {
  const name = useSignal('')
  const save = async () => {
    const body = { path: join(folder, name.value.trim()), ...(session !== '' && { session }) }
    if ((await attempt(() => api.post('/api/files/mkdir', body))) === undefined) return
    done()
    onClose()
  }
  return (
    <FormDialog title={t('New folder')} action={t('Create')} onSubmit={save} onClose={onClose}>
      <TextField label={t('Name')} required maxLength={255} {...bind(name)} />
    </FormDialog>
  )
}

function Uploader({ session, folder, done }: FolderProps) {
  const input = useRef<HTMLInputElement>(null)
  const progress = useSignal<number | undefined>(undefined)
  const taken = useSignal<File | undefined>(undefined)
  const sendFile = async (file: File, overwrite: boolean) => {
    progress.value = 0
    try {
      await upload(file, { session, path: join(folder, file.name), overwrite }, (part) => (progress.value = part))
      notify(t('{name} was uploaded.', { name: file.name }), 'ok')
    } catch (error) {
      if (!overwrite && isTaken(error)) taken.value = file
      else notify((error as Error).message, 'error')
    }
    progress.value = undefined
    done()
  }
  const sendAll = async (files: readonly File[]) => {
    for (const file of files) await sendFile(file, false)
  }
  return (
    <>
      <input
        ref={input}
        type="file"
        class="hidden"
        multiple
        tabIndex={-1}
        aria-label={t('Files to upload')}
        onChange={(event) => {
          const files = [...(event.currentTarget.files ?? [])]
          // The same file can be chosen again.
          event.currentTarget.value = ''
          void sendAll(files)
        }}
      />
      <Button
        icon={Upload}
        kind="primary"
        disabled={progress.value !== undefined}
        onClick={() => input.current?.click()}
      >
        {progress.value === undefined ? t('Upload') : `${Math.round(progress.value * 100)} %`}
      </Button>
      {taken.value && (
        <Confirm
          title={t('Replace {name}', { name: taken.value.name })}
          text={t('A file of this name is there. It is replaced unless it was changed meanwhile.')}
          action={t('Replace')}
          onClose={() => (taken.value = undefined)}
          onConfirm={() => taken.value && sendFile(taken.value, true)}
        />
      )}
    </>
  )
}

function join(folder: string, name: string): string {
  return folder === '' ? name : `${folder}/${name}`
}
