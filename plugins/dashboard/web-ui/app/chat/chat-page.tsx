/** A conversation: its transcript and where the next message is written. */
import { useSignal } from '@preact/signals'
import { GitBranch, ListTree, MessageSquarePlus, Pencil } from 'lucide-preact'
import { useEffect, useMemo } from 'preact/hooks'
import { useLocation } from 'wouter-preact'
import { dollars, number, t } from '../client/language.ts'
import { attempt } from '../client/notices.ts'
import { rpc } from '../client/rpc.ts'
import { Slot } from '../plugins/shared-view.tsx'
import { lazy } from '../ui/lazy.tsx'
import { Button, Dialog, Failed, TextField } from '../ui/parts.tsx'
import { VirtualList } from '../ui/virtual-list.tsx'
import { ChatSession } from './chat-session.ts'
import { Composer } from './composer.tsx'
import { EntryView } from './entry-view.tsx'
import { stopReading } from './read-aloud.ts'
import { readSpeech } from './speech.ts'
import { Welcome } from './welcome.tsx'

const TreeDialog = lazy(async () => (await import('../sessions/session-tree.tsx')).TreeDialog)

/** Open conversations stay open while other pages are shown. */
const open = new Map<string, ChatSession>()
const MAX_OPEN = 8
let fresh: ChatSession | undefined

function findChat(key: string | undefined): ChatSession {
  if (key === undefined) {
    fresh ??= new ChatSession()
    return fresh
  }
  const known = open.get(key) ?? new ChatSession(key)
  open.delete(key)
  open.set(key, known)
  for (const [name, chat] of open) {
    if (open.size <= MAX_OPEN) break
    if (chat.isBusy.value || chat === known) continue
    chat.dispose()
    open.delete(name)
  }
  return known
}

export function ChatPage({ id }: { id?: string }) {
  const [, navigate] = useLocation()
  const chat = useMemo(() => findChat(id), [id])
  const isNaming = useSignal(false)
  const isTreeOpen = useSignal(false)
  chat.onKey = (key) => {
    fresh = undefined
    open.set(key, chat)
    navigate(`/chat/${key}`, { replace: true })
  }
  const title = chat.title.value || t('New chat')
  useEffect(() => {
    document.title = `${title} · svc`
  }, [title])
  useNotifications(chat)
  useEffect(() => void readSpeech(), [])
  useEffect(() => stopReading, [chat])
  const branch = async (at?: number) => {
    const key = await attempt(() => chat.branch(at), t('A branch was made.'))
    if (key !== undefined) navigate(`/chat/${key}`)
  }
  const entries = chat.entries.value
  const failure = chat.failure.value
  const hasKey = chat.key.value !== undefined
  return (
    <div class="chat">
      <header class="page-head chat-head">
        <h1 dir="auto">{title}</h1>
        <Usage chat={chat} />
        <div class="actions">
          {hasKey && <Button icon={Pencil} kind="quiet" label={t('Rename')} onClick={() => (isNaming.value = true)} />}
          {hasKey && <Button icon={GitBranch} kind="quiet" label={t('Branch')} onClick={() => branch()} />}
          {hasKey && (
            <Button
              icon={ListTree}
              kind="quiet"
              label={t('Tree of branches')}
              onClick={() => (isTreeOpen.value = true)}
            />
          )}
          <Button icon={MessageSquarePlus} kind="quiet" label={t('New chat')} onClick={() => navigate('/chat')} />
        </div>
      </header>
      {failure && <Failed error={failure} />}
      {entries.length === 0 ? (
        <Welcome chat={chat} isLoading={hasKey && !chat.isOpen.value && !failure} />
      ) : (
        <VirtualList label={t('Conversation')} rows={entries}>
          {(entry) => <EntryView entry={entry} actions={{ chat, branch }} />}
        </VirtualList>
      )}
      <div class="chat-foot">
        <Slot place="composer" sessionId={chat.key.value} />
        <Working chat={chat} />
        <Composer chat={chat} />
      </div>
      {isTreeOpen.value && chat.key.value !== undefined && (
        <TreeDialog id={chat.key.value} path="/chat" onClose={() => (isTreeOpen.value = false)} />
      )}
      {isNaming.value && <NameDialog chat={chat} onClose={() => (isNaming.value = false)} />}
    </div>
  )
}

function Working({ chat }: { chat: ChatSession }) {
  const isBusy = chat.isBusy.value
  const waiting = chat.waiting.value.length
  const isOffline = rpc.state.value !== 'open'
  return (
    <p class="working" role="status">
      {isBusy && !isOffline && (
        <>
          <span class="dots" aria-hidden="true" />
          {t('Working…')}
        </>
      )}
      {isOffline && t('No connection. What you write is kept and sent once it is back.')}
      {waiting > 0 && ` ${t('{count, plural, one {# message waits} other {# messages wait}}', { count: waiting })}`}
    </p>
  )
}

function Usage({ chat }: { chat: ChatSession }) {
  const usage = chat.usage.value
  const { input, output, costUsd } = (usage ?? {}) as {
    readonly input?: number
    readonly output?: number
    readonly costUsd?: number
  }
  if (!input && !output) return null
  return (
    <span class="dim usage">
      {t('{input} in, {output} out', { input: number(input ?? 0), output: number(output ?? 0) })}
      {costUsd !== undefined && costUsd > 0 && ` · ${dollars(costUsd)}`}
    </span>
  )
}

function NameDialog({ chat, onClose }: { chat: ChatSession; onClose: () => void }) {
  const name = useSignal(chat.title.value)
  const save = async (event: Event) => {
    event.preventDefault()
    await attempt(() => chat.setTitle(name.value))
    onClose()
  }
  return (
    <Dialog title={t('Rename')} onClose={onClose}>
      <form onSubmit={save}>
        <TextField label={t('Title')} value={name.value} onValue={(value) => (name.value = value)} />
        <div class="actions end">
          <Button type="submit" kind="primary">
            {t('Save')}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

/** Tells the user about an end or a question while the page is in the background. */
function useNotifications(chat: ChatSession): void {
  useEffect(
    () =>
      rpc.onEvent(({ type, payload }) => {
        if (document.visibilityState === 'visible' || globalThis.Notification?.permission !== 'granted') return
        const said = {
          'message.complete': String(payload['text'] ?? ''),
          'approval.request': t('May this run?'),
          'clarify.request': String(payload['question'] ?? ''),
        }[type]
        if (said) new Notification(chat.title.value || 'svc', { body: said.slice(0, 160) })
      }),
    [chat],
  )
}
