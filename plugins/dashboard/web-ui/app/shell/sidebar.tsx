/** Navigation, the chats used last, and the look of the page. */

import { locales } from 'svc:locales'
import { useSignal } from '@preact/signals'
import { Languages, LogOut, Palette as PaletteIcon, Search, SquarePen } from 'lucide-preact'
import { useEffect } from 'preact/hooks'
import { Link, useLocation, useRoute } from 'wouter-preact'
import { chosenLanguage, t } from '../client/language.ts'
import { chosenSkin, skins } from '../client/look.ts'
import { notify } from '../client/notices.ts'
import { canNotify, switchNotifications, wantsNotifications } from '../client/notifications.ts'
import { recent, refreshRecent } from '../client/recent.ts'
import { rpc } from '../client/rpc.ts'
import { needsLogin } from '../client/session.ts'
import { signOut } from '../client/sign-in.ts'
import { Slot } from '../plugins/shared-view.tsx'
import { Button, Select, Switch } from '../ui/parts.tsx'
import { listPages, type PageEntry } from './pages.tsx'

export function Sidebar({ openPalette }: { openPalette: () => void }) {
  const [, navigate] = useLocation()
  return (
    <nav class="sidebar" aria-label={t('Navigation')}>
      <div class="side-head">
        <Link href="/chat" class="brand">
          <Logo /> svc
        </Link>
        <Button icon={Search} kind="quiet" label={t('Search everywhere (Ctrl-K)')} onClick={openPalette} />
      </div>
      <Button icon={SquarePen} kind="primary" class="new-chat" onClick={() => navigate('/chat')}>
        {t('New chat')}
      </Button>
      <Group label={t('Work')} group="work" />
      <RecentChats />
      <Group label={t('Set up')} group="setup" />
      <Group label={t('Insight')} group="insight" />
      <Slot place="sidebar" />
      <Preferences />
    </nav>
  )
}

function Logo() {
  return (
    <svg width="22" height="22" viewBox="0 0 64 64" aria-hidden="true">
      <rect width="64" height="64" rx="14" class="logo-back" />
      <path d="M20 20l14 12-14 12" class="logo-mark" />
      <path d="M37 45h11" class="logo-line" />
    </svg>
  )
}

function Group({ label, group }: { label: string; group: PageEntry['group'] }) {
  return (
    <section>
      <h2>{label}</h2>
      <ul>
        {listPages()
          .filter((page) => page.group === group)
          .map((page) => (
            <li key={page.path}>
              <NavLink path={page.path} icon={page.icon} title={page.title} />
            </li>
          ))}
      </ul>
    </section>
  )
}

function NavLink({ path, icon: Icon, title }: { path: string; icon: PageEntry['icon']; title: string }) {
  const [isHere] = useRoute(path)
  const [isBelow] = useRoute(`${path}/*`)
  // A chat of the list below is marked there.
  const isActive = isHere || (isBelow && path !== '/chat')
  return (
    <Link href={path} class="nav-link" aria-current={isActive ? 'page' : undefined}>
      <Icon size={17} aria-hidden="true" /> <span>{title}</span>
    </Link>
  )
}

function RecentChats() {
  const [, params] = useRoute('/chat/:id')
  useEffect(() => rpc.onOpen(() => void refreshRecent()), [])
  useEffect(
    () =>
      rpc.onEvent(({ type }) => (type === 'message.complete' || type === 'session.changed') && void refreshRecent()),
    [],
  )
  if (recent.value.length === 0) return null
  return (
    <section>
      <h2>{t('Recent chats')}</h2>
      <ul class="recent">
        {recent.value.slice(0, 6).map(({ id, title }) => (
          <li key={id}>
            <Link href={`/chat/${id}`} class="nav-link" aria-current={params?.id === id ? 'page' : undefined}>
              <span dir="auto">{title || t('Without a title')}</span>
            </Link>
          </li>
        ))}
      </ul>
    </section>
  )
}

async function switchThem(isOn: boolean): Promise<void> {
  if (!(await switchNotifications(isOn))) notify(t('The browser does not allow notifications of this page.'), 'warning')
}

function Preferences() {
  const isOpen = useSignal(false)
  return (
    <div class="preferences">
      <Button icon={PaletteIcon} kind="quiet" pressed={isOpen.value} onClick={() => (isOpen.value = !isOpen.value)}>
        {t('Look and language')}
      </Button>
      {needsLogin && (
        <Button icon={LogOut} kind="quiet" onClick={() => signOut('here')}>
          {t('Sign out')}
        </Button>
      )}
      {needsLogin && isOpen.value && (
        <Button kind="quiet" onClick={() => signOut('everywhere')}>
          {t('Sign everybody out')}
        </Button>
      )}
      {isOpen.value && (
        <div class="preference-fields">
          <Select
            label={
              <>
                <PaletteIcon size={14} aria-hidden="true" /> {t('Look')}
              </>
            }
            value={chosenSkin.value}
            options={[
              ['', t('As the system')],
              ...skins.map(({ name, description }) => [name, `${name}: ${description}`] as const),
            ]}
            onValue={(value) => (chosenSkin.value = value)}
          />
          <Select
            label={
              <>
                <Languages size={14} aria-hidden="true" /> {t('Language')}
              </>
            }
            value={chosenLanguage.value}
            options={[['', t('As the browser')], ...locales.map(({ locale, label }) => [locale, label] as const)]}
            onValue={(value) => (chosenLanguage.value = value)}
          />
          {canNotify && (
            <p class="actions">
              <Switch label={t('Notifications')} isOn={wantsNotifications.value} onChange={switchThem} />
              {t('Notifications')}
            </p>
          )}
        </div>
      )}
    </div>
  )
}
