/** The page of a plugin: a view as data, or a frame with what the plugin brings. */
import { useEffect, useRef, useState } from 'preact/hooks'
import { useLocation } from 'wouter-preact'
import { language, t } from '../client/language.ts'
import { chosenSkin } from '../client/look.ts'
import { arePagesKnown, type PluginPage, pluginPages } from '../client/plugin-pages.ts'
import { basePath } from '../client/session.ts'
import type { FrameState } from '../frame/messages.ts'
import { Empty, Failed, Loading, Page } from '../ui/parts.tsx'
import { connectFrame, type FrameLink } from './frame-host.ts'
import { SharedView } from './shared-view.tsx'

/** Milliseconds in which a frame has to have started. */
const START_MS = 15_000

export function PluginPageView({ name, '*': rest = '' }: { name?: string; '*'?: string }) {
  const page = pluginPages.value.find((each) => each.name === name)
  if (!page) return arePagesKnown.value ? <Empty>{t('There is no such page.')}</Empty> : <Loading />
  return (
    <Page title={page.title}>
      {page.frame ? (
        <Framed key={JSON.stringify(page)} page={page} path={rest === '' ? '' : `/${rest}`} />
      ) : (
        <SharedView key={page.name} name={page.name} isPage />
      )}
    </Page>
  )
}

function Framed({ page, path }: { page: PluginPage; path: string }) {
  const [, navigate] = useLocation()
  const host = useRef<FrameLink>()
  const [failure, setFailure] = useState<string>()
  const [isShown, setShown] = useState(false)
  const state: FrameState = {
    language: language.value,
    theme: chosenSkin.value,
    path,
    direction: document.documentElement.dir === 'rtl' ? 'rtl' : 'ltr',
  }
  useEffect(() => host.current?.update(state), [state.language, state.theme, state.path])
  useEffect(() => () => host.current?.close(), [])
  useEffect(() => {
    if (isShown || failure !== undefined) return undefined
    const timer = setTimeout(() => setFailure(t('It did not start.')), START_MS)
    return () => clearTimeout(timer)
  }, [isShown, failure])
  if (failure !== undefined) {
    const message = t('The plugin {name} failed here: {message}', { name: page.plugin, message: failure })
    const retry = () => {
      setShown(false)
      setFailure(undefined)
    }
    return <Failed error={new Error(message)} retry={retry} />
  }
  const start = (frame: HTMLIFrameElement) => {
    host.current?.close()
    host.current = connectFrame(frame, state, {
      page,
      navigate,
      onMounted: () => setShown(true),
      onFailed: setFailure,
    })
  }
  return (
    <>
      {!isShown && <Loading />}
      <iframe
        class="plugin-frame"
        title={page.title}
        src={`${basePath}${page.frame?.address ?? ''}`}
        sandbox="allow-scripts allow-forms"
        onLoad={(event) => start(event.currentTarget)}
      />
    </>
  )
}
