/** The frame of all pages: navigation, what is open, and messages at the edge. */
import { useSignal } from '@preact/signals'
import { CircleAlert, CircleCheck, Info, Menu, Search, TriangleAlert, WifiOff, X } from 'lucide-preact'
import { useEffect } from 'preact/hooks'
import { Redirect, Route, Router, Switch, useLocation } from 'wouter-preact'
import { loginExpired } from '../client/api.ts'
import { useToggle } from '../client/fields.ts'
import { t } from '../client/language.ts'
import { dismiss, type Notice, notices } from '../client/notices.ts'
import { followEvents } from '../client/notifications.ts'
import { rpc } from '../client/rpc.ts'
import { basePath, needsLogin } from '../client/session.ts'
import { Slot } from '../plugins/shared-view.tsx'
import { Guarded, lazy } from '../ui/lazy.tsx'
import { Button, Dialog, Empty } from '../ui/parts.tsx'
import { pages } from './pages.tsx'
import { Palette } from './palette.tsx'
import { Sidebar } from './sidebar.tsx'

const SignInPage = lazy(async () => (await import('./sign-in.tsx')).SignInPage)
const SignInForm = lazy(async () => (await import('./sign-in.tsx')).SignInForm)
const PluginPage = lazy(async () => (await import('../plugins/plugin-page.tsx')).PluginPageView)
const Onboarding = lazy(async () => (await import('../pages/onboarding.tsx')).OnboardingPage)

export function Shell() {
  return (
    <Router base={basePath}>
      <Entrance />
    </Router>
  )
}

/** Who has not been in yet signs in before anything else. Behind that, the page stays as it is when the login ends. */
function Entrance() {
  const [path] = useLocation()
  const wasIn = useSignal(false)
  if (rpc.state.value === 'open') wasIn.value = true
  if (path === '/login') return <SignInPage />
  if (needsLogin && loginExpired.value && !wasIn.value)
    return <Redirect to={`/login?next=${encodeURIComponent(path)}`} replace />
  return <Frame />
}

function Frame() {
  const isMenuOpen = useSignal(false)
  const isPaletteOpen = useSignal(false)
  const [path, navigate] = useLocation()
  const [, part] = path.split('/')
  // Such a page has addresses of its own, below which it stays as it is.
  const isOfPlugin = part === 'p'
  useEffect(followEvents, [])
  useEffect(() => {
    isMenuOpen.value = false
    isPaletteOpen.value = false
  }, [path])
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const isMod = event.ctrlKey || event.metaKey
      if (isMod && event.key.toLowerCase() === 'k') {
        event.preventDefault()
        isPaletteOpen.value = !isPaletteOpen.value
      } else if (isMod && event.shiftKey && event.key.toLowerCase() === 'o') {
        event.preventDefault()
        navigate('/chat')
      } else if (event.key === 'Escape') isMenuOpen.value = false
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [])
  return (
    <div class={`frame ${isMenuOpen.value ? 'menu-open' : ''}`}>
      <button type="button" class="skip" onClick={() => document.getElementById('main')?.focus()}>
        {t('Skip to the content')}
      </button>
      <header class="top-bar">
        <Button
          icon={Menu}
          kind="quiet"
          label={t('Menu')}
          pressed={isMenuOpen.value}
          onClick={() => (isMenuOpen.value = !isMenuOpen.value)}
        />
        <span class="brand">svc</span>
        <Button
          icon={Search}
          kind="quiet"
          label={t('Search everywhere')}
          onClick={() => (isPaletteOpen.value = true)}
        />
      </header>
      <Sidebar openPalette={() => (isPaletteOpen.value = true)} />
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the menu button does the same */}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: Escape does the same */}
      <div class="scrim" onClick={() => (isMenuOpen.value = false)} />
      <main id="main" tabIndex={-1}>
        <Banner />
        <Slot place={`${part}:top`} />
        <Guarded key={isOfPlugin ? path.split('/', 3).join('/') : path}>
          <Pages />
        </Guarded>
        <Slot place={`${part}:bottom`} />
      </main>
      <Notices />
      {isPaletteOpen.value && <Palette onClose={() => (isPaletteOpen.value = false)} />}
    </div>
  )
}

function Pages() {
  return (
    <Switch>
      <Route path="/">
        <Redirect to="/chat" replace />
      </Route>
      {pages.flatMap(({ path, more = [], view: View }) =>
        [path, ...more].map((each) => (
          <Route key={each} path={each}>
            {(params) => <View {...(params as Record<string, string>)} />}
          </Route>
        )),
      )}
      <Route path="/p/:name/*?">{(params) => <PluginPage {...(params as { name: string; '*'?: string })} />}</Route>
      <Route path="/welcome">
        <Onboarding />
      </Route>
      <Route>
        <Empty>{t('There is no such page.')}</Empty>
      </Route>
    </Switch>
  )
}

/** What concerns every page: the connection and the login. */
function Banner() {
  const signIn = useToggle()
  const [path] = useLocation()
  if (loginExpired.value)
    return (
      <div class="banner error" role="alert">
        <CircleAlert size={16} aria-hidden="true" />
        <span>{t('Your login has expired. What you wrote is kept.')}</span>
        <Button onClick={signIn.on}>{t('Sign in')}</Button>
        {signIn.isOn && (
          <Dialog title={t('Sign in')} onClose={signIn.off}>
            <SignInForm next={path} onDone={signIn.off} />
          </Dialog>
        )}
      </div>
    )
  if (rpc.state.value !== 'offline') return null
  return (
    <div class="banner warning" role="status">
      <WifiOff size={16} aria-hidden="true" />
      <span>{t('The server does not answer. Connecting again…')}</span>
    </div>
  )
}

const toneIcons = { info: Info, ok: CircleCheck, warning: TriangleAlert, error: CircleAlert }

function Notices() {
  return (
    <div class="notices" aria-live="polite">
      {notices.value.map((notice) => (
        <NoticeItem key={notice.id} notice={notice} />
      ))}
    </div>
  )
}

function NoticeItem({ notice: { id, tone, text } }: { notice: Notice }) {
  const Icon = toneIcons[tone]
  return (
    <div class={`toast ${tone}`} role={tone === 'error' ? 'alert' : 'status'}>
      <Icon size={16} aria-hidden="true" />
      <span dir="auto">{text}</span>
      <Button icon={X} kind="quiet" label={t('Dismiss')} onClick={() => dismiss(id)} />
    </div>
  )
}
