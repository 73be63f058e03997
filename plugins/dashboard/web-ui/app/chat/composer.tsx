/** Where a message is written. What was typed is kept until it is sent, also over a reload. */
import { useComputed, useSignal } from '@preact/signals'
import { ArrowUp, Paperclip, Square, X } from 'lucide-preact'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import { stored } from '../client/api.ts'
import { t } from '../client/language.ts'
import { attempt } from '../client/notices.ts'
import { Button, Select } from '../ui/parts.tsx'
import { type Attached, fromFiles, withFiles } from './attachments.ts'
import type { ChatSession, WhenBusy } from './chat-session.ts'
import { Dictation } from './dictation.tsx'
import { ModelPicker } from './model-picker.tsx'

const drafts = stored<Readonly<Record<string, string>>>('drafts', {})
const whenBusy = stored<WhenBusy>('when-busy', 'steer')
const MAX_DRAFTS = 50

export function setDraft(chat: string, text: string): void {
  const { [chat]: _, ...others } = drafts.value
  const kept = Object.entries(others).slice(-MAX_DRAFTS)
  drafts.value = Object.fromEntries(text === '' ? kept : [...kept, [chat, text]])
}

interface Completion {
  readonly text: string
  readonly from: number
  readonly label?: string
  readonly detail?: string
}

export function Composer({ chat }: { chat: ChatSession }) {
  const field = useRef<HTMLTextAreaElement>(null)
  const picker = useRef<HTMLInputElement>(null)
  const attached = useSignal<readonly Attached[]>([])
  const completions = useSignal<readonly Completion[]>([])
  const chosen = useSignal(0)
  const isOver = useSignal(false)
  const text = useComputed(() => drafts.value[chat.name.value] ?? '').value

  const setText = (next: string) => setDraft(chat.name.value, next)
  useLayoutEffect(() => {
    const area = field.current
    if (!area) return
    area.style.height = 'auto'
    area.style.height = `${Math.min(area.scrollHeight, innerHeight * 0.4)}px`
  }, [text])
  useEffect(() => field.current?.focus({ preventScroll: true }), [chat])

  const addFiles = async (files: Iterable<File>) => {
    for (const file of files) {
      const read = await attempt(() => fromFiles(file))
      if (read) attached.value = [...attached.value, read]
    }
  }
  const send = () => {
    const { words, pictures } = withFiles(text, attached.value)
    if (words.trim() === '' && pictures.length === 0) return
    chat.submit(words, pictures, chat.isBusy.value ? whenBusy.value : undefined)
    setText('')
    attached.value = []
    completions.value = []
  }
  const complete = async () => {
    const area = field.current
    const before = area?.value.slice(0, area.selectionStart) ?? ''
    if (!/(^\/\S*|(^|\s)@\S*)$/.test(before) || chat.key.value === undefined) {
      completions.value = []
      return
    }
    const found = await chat.complete(before).catch(() => ({ items: [] }))
    if (area?.value.slice(0, area.selectionStart) !== before) return
    completions.value = (found.items as Completion[]).slice(0, 8)
    chosen.value = 0
  }
  const take = (completion: Completion | undefined) => {
    const area = field.current
    if (!completion || !area) return
    setText(`${area.value.slice(0, completion.from)}${completion.text}${area.value.slice(area.selectionStart)}`)
    completions.value = []
    area.focus()
  }
  const insert = (said: string) => {
    const area = field.current
    if (!area) return
    const [before, after] = [area.value.slice(0, area.selectionStart), area.value.slice(area.selectionEnd)]
    const head = `${before}${/\S$/.test(before) ? ' ' : ''}${said}${/^\S/.test(after) ? ' ' : ''}`
    // The field has the text at once, so that the cursor can be set behind what was said.
    area.value = `${head}${after}`
    setText(area.value)
    area.focus()
    area.setSelectionRange(head.length, head.length)
  }
  const listKeys: Readonly<Record<string, () => void>> = {
    ArrowDown: () => (chosen.value = (chosen.value + 1) % completions.value.length),
    ArrowUp: () => (chosen.value = (chosen.value + completions.value.length - 1) % completions.value.length),
    Tab: () => take(completions.value[chosen.value]),
    Escape: () => (completions.value = []),
  }
  const plainKeys: Readonly<Record<string, () => boolean>> = {
    Enter() {
      if (matchMedia('(pointer: coarse)').matches) return false
      send()
      return true
    },
    Escape() {
      if (chat.isBusy.value) void attempt(() => chat.interrupt())
      return false
    },
    ArrowUp() {
      const last = text === '' ? chat.entries.value.findLast((entry) => entry.kind === 'user') : undefined
      if (last?.kind === 'user') setText(last.text)
      return last !== undefined
    },
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.isComposing || event.shiftKey) return
    const inList = completions.value.length > 0 ? listKeys[event.key] : undefined
    inList?.()
    if (inList || plainKeys[event.key]?.()) event.preventDefault()
  }
  const onPaste = (event: ClipboardEvent) => {
    const files = [...(event.clipboardData?.files ?? [])]
    if (files.length === 0) return
    event.preventDefault()
    void addFiles(files)
  }
  const onDrop = (event: DragEvent) => {
    event.preventDefault()
    isOver.value = false
    void addFiles([...(event.dataTransfer?.files ?? [])])
  }
  const isBusy = chat.isBusy.value
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: files are dropped here; a button does the same
    <div
      class={`composer ${isOver.value ? 'over' : ''}`}
      onDragOver={(event) => {
        event.preventDefault()
        isOver.value = true
      }}
      onDragLeave={() => (isOver.value = false)}
      onDrop={onDrop}
    >
      {completions.value.length > 0 && <Completions items={completions.value} chosen={chosen.value} take={take} />}
      {attached.value.length > 0 && (
        <AttachedFiles
          files={attached.value}
          drop={(file) => (attached.value = attached.value.filter((each) => each !== file))}
        />
      )}
      <textarea
        ref={field}
        class="composer-text"
        rows={1}
        dir="auto"
        value={text}
        aria-label={t('Message')}
        placeholder={isBusy ? t('Add to the running turn…') : t('Ask anything. / for commands, @ for files')}
        onInput={(event) => {
          setText(event.currentTarget.value)
          void complete()
        }}
        onKeyDown={onKeyDown}
        onPaste={onPaste}
      />
      <div class="composer-bar">
        <input
          ref={picker}
          type="file"
          multiple
          hidden
          onChange={(event) => {
            void addFiles([...(event.currentTarget.files ?? [])])
            event.currentTarget.value = ''
          }}
        />
        <Button icon={Paperclip} kind="quiet" label={t('Attach files')} onClick={() => picker.current?.click()} />
        <Dictation chat={chat} onText={insert} onEnd={() => field.current?.focus()} />
        <ModelPicker chat={chat} />
        <span class="grow" />
        {isBusy && (
          <>
            <Select
              isHidden
              label={t('While it works')}
              value={whenBusy.value}
              options={[
                ['steer', t('Steer')],
                ['queue', t('Queue')],
                ['interrupt', t('Interrupt')],
              ]}
              onValue={(value) => (whenBusy.value = value as WhenBusy)}
            />
            <Button icon={Square} label={t('Stop')} onClick={() => attempt(() => chat.interrupt())} />
          </>
        )}
        <Button
          icon={ArrowUp}
          kind="primary"
          label={t('Send')}
          disabled={text.trim() === '' && attached.value.length === 0}
          onClick={send}
        />
      </div>
    </div>
  )
}

function Completions({
  items,
  chosen,
  take,
}: {
  items: readonly Completion[]
  chosen: number
  take: (item: Completion) => void
}) {
  return (
    <div class="completions" role="listbox" aria-label={t('Completions')}>
      {items.map((item, at) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the text field
        <div key={item.text} role="option" tabIndex={-1} aria-selected={at === chosen} onClick={() => take(item)}>
          <code>{item.label ?? item.text}</code> <span class="dim">{item.detail}</span>
        </div>
      ))}
    </div>
  )
}

function AttachedFiles({ files, drop }: { files: readonly Attached[]; drop: (file: Attached) => void }) {
  return (
    <ul class="attached">
      {files.map((file) => (
        <li key={file.name}>
          {file.picture && <img src={`data:${file.picture.media_type};base64,${file.picture.data}`} alt="" />}
          <span>{file.name}</span>
          <Button icon={X} kind="quiet" label={t('Remove {name}', { name: file.name })} onClick={() => drop(file)} />
        </li>
      ))}
    </ul>
  )
}
