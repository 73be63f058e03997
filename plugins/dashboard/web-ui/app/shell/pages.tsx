/** All pages, and where they are. */
import {
  Activity,
  Blocks,
  BookOpenText,
  Brain,
  CalendarClock,
  ChartColumn,
  Cpu,
  FolderOpen,
  Kanban,
  KeyRound,
  LibraryBig,
  type LucideIcon,
  MessagesSquare,
  Power,
  Puzzle,
  RadioTower,
  Route,
  ScrollText,
  Settings,
  SquarePen,
  SquareTerminal,
  UsersRound,
  Waypoints,
} from 'lucide-preact'
import type { ComponentType } from 'preact'
import { ChatPage } from '../chat/chat-page.tsx'
import { msg, t } from '../client/language.ts'
import { pluginPages } from '../client/plugin-pages.ts'
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
    path: '/sessions',
    title: msg('Sessions'),
    icon: MessagesSquare,
    group: 'work',
    view: later(async () => (await import('../pages/sessions.tsx')).SessionsPage as View),
    more: ['/sessions/:id'],
  },
  {
    path: '/terminal',
    title: msg('Terminal'),
    icon: SquareTerminal,
    group: 'work',
    view: later(async () => (await import('../pages/terminal.tsx')).TerminalPage as View),
  },
  {
    path: '/board',
    title: msg('Board'),
    icon: Kanban,
    group: 'work',
    view: later(async () => (await import('../pages/board.tsx')).BoardPage as View),
    more: ['/board/:task'],
  },
  {
    path: '/files',
    title: msg('Files'),
    icon: FolderOpen,
    group: 'work',
    view: later(async () => (await import('../pages/files.tsx')).FilesPage as View),
    more: ['/files/:session'],
  },
  {
    path: '/cron',
    title: msg('Jobs'),
    icon: CalendarClock,
    group: 'work',
    view: later(async () => (await import('../pages/cron.tsx')).CronPage as View),
  },
  {
    path: '/models',
    title: msg('Models'),
    icon: Cpu,
    group: 'setup',
    view: later(async () => (await import('../pages/models.tsx')).ModelsPage as View),
  },
  {
    path: '/keys',
    title: msg('Keys'),
    icon: KeyRound,
    group: 'setup',
    view: later(async () => (await import('../pages/keys.tsx')).KeysPage as View),
  },
  {
    path: '/config',
    title: msg('Settings'),
    icon: Settings,
    group: 'setup',
    view: later(async () => (await import('../pages/config.tsx')).ConfigPage as View),
  },
  {
    path: '/skills',
    title: msg('Skills'),
    icon: BookOpenText,
    group: 'setup',
    view: later(async () => (await import('../pages/skills.tsx')).SkillsPage as View),
  },
  {
    path: '/memory',
    title: msg('Memory'),
    icon: Brain,
    group: 'setup',
    view: later(async () => (await import('../pages/memory.tsx')).MemoryPage as View),
  },
  {
    path: '/channels',
    title: msg('Channels'),
    icon: RadioTower,
    group: 'setup',
    view: later(async () => (await import('../pages/channels.tsx')).ChannelsPage as View),
  },
  {
    path: '/plugins',
    title: msg('Plugins'),
    icon: Blocks,
    group: 'setup',
    view: later(async () => (await import('../pages/plugins.tsx')).PluginsPage as View),
  },
  {
    path: '/profiles',
    title: msg('Profiles'),
    icon: UsersRound,
    group: 'setup',
    view: later(async () => (await import('../pages/profiles.tsx')).ProfilesPage as View),
    more: ['/profiles/new'],
  },
  {
    path: '/analytics',
    title: msg('Costs'),
    icon: ChartColumn,
    group: 'insight',
    view: later(async () => (await import('../pages/analytics.tsx')).AnalyticsPage as View),
  },
  {
    path: '/journey',
    title: msg('Journey'),
    icon: Route,
    group: 'insight',
    view: later(async () => (await import('../pages/journey.tsx')).JourneyPage as View),
  },
  {
    path: '/trace',
    title: msg('Trace'),
    icon: Waypoints,
    group: 'insight',
    view: later(async () => (await import('../pages/trace.tsx')).TracePage as View),
  },
  {
    path: '/logs',
    title: msg('Logs'),
    icon: ScrollText,
    group: 'insight',
    view: later(async () => (await import('../pages/logs.tsx')).LogsPage as View),
  },
  {
    path: '/operations',
    title: msg('Operations'),
    icon: Power,
    group: 'insight',
    view: later(async () => (await import('../pages/operations.tsx')).OperationsPage as View),
  },
  {
    path: '/system',
    title: msg('System'),
    icon: Activity,
    group: 'insight',
    view: later(async () => (await import('../pages/system.tsx')).SystemPage as View),
  },
  {
    path: '/docs',
    title: msg('Documentation'),
    icon: LibraryBig,
    group: 'insight',
    view: later(async () => (await import('../pages/docs.tsx')).DocsPage as View),
    more: ['/docs/:name'],
  },
]

/** A page as navigation and palette list it, with its title as it is shown. */
export type Listed = Pick<PageEntry, 'path' | 'title' | 'icon' | 'group'>

/** All pages that there are now, those of plugins after those of their group. */
export function listPages(): readonly Listed[] {
  const own = pages.map(({ path, title, icon, group }) => ({ path, title: t(title), icon, group }))
  const added = pluginPages.value.map(({ name, title, group }) => ({ path: `/p/${name}`, title, icon: Puzzle, group }))
  return [...own, ...added]
}
