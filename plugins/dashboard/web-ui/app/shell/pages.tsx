/** All pages, and where they are. */
import { Kanban, type LucideIcon, SquarePen } from 'lucide-preact'
import type { ComponentType } from 'preact'
import { ChatPage } from '../chat/chat-page.tsx'
import { msg } from '../client/language.ts'
import { lazy } from '../ui/lazy.tsx'

export interface PageEntry {
  readonly path: string
  /** In English; it is translated where it is shown. */
  readonly title: string
  readonly icon: LucideIcon
  readonly group: 'work' | 'setup' | 'insight'
  readonly view: ComponentType<Record<string, string>>
  /** Further paths of the same page, with parameters. */
  readonly more?: readonly string[]
}

type View = PageEntry['view']
const later = (load: () => Promise<View>): View => lazy(load) as View

export const pages: readonly PageEntry[] = [
  {
    path: '/chat',
    title: msg('Chat'),
    icon: SquarePen,
    group: 'work',
    view: ChatPage as unknown as View,
    more: ['/chat/:id'],
  },
  {
    path: '/board',
    title: msg('Board'),
    icon: Kanban,
    group: 'work',
    view: later(async () => (await import('../pages/board.tsx')).BoardPage as View),
    more: ['/board/:task'],
  },
]
