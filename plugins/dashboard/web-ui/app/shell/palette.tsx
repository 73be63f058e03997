/** Search everywhere: pages, chats, stored messages, skills, tasks, jobs and settings, by keyboard. */
import { useSignal } from '@preact/signals'
import { useEffect, useId } from 'preact/hooks'
import { useLocation } from 'wouter-preact'
import { type Found, findTasks, readLists } from '../client/everywhere.ts'
import { t } from '../client/language.ts'
import { recent } from '../client/recent.ts'
import { api } from '../client/typed.ts'
import { Dialog } from '../ui/parts.tsx'
import { listPages } from './pages.tsx'

interface Hit {
  readonly session_id: string
  readonly snippet: string
  readonly title?: string | null
}

/** Of skills, tasks, jobs and settings. */
const MOST = 12
/** Characters from which on more than pages and chats is searched. */
const MIN_TYPED = 2

export function Palette({ onClose }: { onClose: () => void }) {
  const [, navigate] = useLocation()
  const typed = useSignal('')
  const chosen = useSignal(0)
  const hits = useSignal<readonly Hit[]>([])
  const lists = useSignal<readonly Found[]>([])
  const tasks = useSignal<readonly Found[]>([])
  const listId = useId()
  const isSearching = typed.value.trim().length >= MIN_TYPED
  useEffect(() => {
    if (!isSearching) return undefined
    const controller = new AbortController()
    void readLists(controller.signal).then((found) => (lists.value = found))
    return () => controller.abort()
  }, [isSearching])
  useEffect(() => {
    const words = typed.value.trim()
    chosen.value = 0
    hits.value = []
    tasks.value = []
    if (!isSearching) return undefined
    const controller = new AbortController()
    const timer = setTimeout(() => {
      api.get('/api/sessions/search', { q: words, limit: 8 }, controller.signal).then(
        ({ results }) => (hits.value = results),
        () => {},
      )
      findTasks(words.split(/\s+/), controller.signal).then(
        (found) => (tasks.value = found),
        () => {},
      )
    }, 150)
    return () => {
      clearTimeout(timer)
      controller.abort()
    }
  }, [typed.value])

  const items = listItems(typed.value, { hits: hits.value, more: [...tasks.value, ...lists.value] })
  const go = (item: Found | undefined) => {
    if (!item) return
    onClose()
    navigate(item.path)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined && items.length > 0) {
      event.preventDefault()
      chosen.value = (chosen.value + step + items.length) % items.length
    } else if (event.key === 'Enter') go(items[chosen.value])
  }
  return (
    <Dialog title={t('Search everywhere')} class="palette" onClose={onClose}>
      <input
        class="input"
        type="text"
        role="combobox"
        aria-expanded="true"
        aria-controls={listId}
        aria-activedescendant={`${listId}-${chosen.value}`}
        aria-label={t('Search pages, chats, tasks, skills and settings')}
        placeholder={t('Search pages, chats, tasks, skills and settings')}
        value={typed.value}
        onInput={(event) => (typed.value = event.currentTarget.value)}
        onKeyDown={onKeyDown}
      />
      <div role="listbox" id={listId} class="palette-list" aria-label={t('Results')}>
        {items.map((item, at) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the text field
          <div
            key={item.id}
            id={`${listId}-${at}`}
            role="option"
            tabIndex={-1}
            aria-selected={at === chosen.value}
            onClick={() => go(item)}
          >
            <span class="dim">{item.group}</span> <strong dir="auto">{item.label}</strong>
            {item.detail && (
              <span class="dim detail" dir="auto">
                {item.detail}
              </span>
            )}
          </div>
        ))}
      </div>
      {items.length === 0 && <p class="dim">{t('Nothing was found.')}</p>}
    </Dialog>
  )
}

function listItems(
  typed: string,
  { hits, more }: { readonly hits: readonly Hit[]; readonly more: readonly Found[] },
): readonly Found[] {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean)
  const fits = (text: string) => words.every((word) => text.toLowerCase().includes(word))
  const found: Found[] = [
    { id: 'new', group: t('Do'), label: t('New chat'), path: '/chat' },
    ...listPages().map(({ path, title }) => ({ id: path, group: t('Page'), label: title, path })),
    ...recent.value.map(({ id, title }) => ({
      id,
      group: t('Chat'),
      label: title || t('Without a title'),
      path: `/chat/${id}`,
    })),
  ].filter(({ group, label }) => fits(`${group} ${label}`))
  const messages = hits.map(({ session_id: id, title, snippet }, at) => {
    const detail = snippet.replace(/<\/?(b|mark)>|[«»]|>>>|<<</g, '')
    return { id: `hit-${at}`, group: t('Message'), label: title || id, detail, path: `/chat/${id}` }
  })
  const others =
    words.length === 0 ? [] : more.filter(({ group, label, detail = '' }) => fits(`${group} ${label} ${detail}`))
  // Those whose name has the words before those that only tell of them.
  const named = others.filter(({ label }) => fits(label))
  const told = others.filter(({ label }) => !fits(label))
  return [...found.slice(0, 12), ...[...named, ...told].slice(0, MOST), ...messages]
}
