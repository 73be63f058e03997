/** The documentation of svc and of its plugins. */
import { useSignal } from '@preact/signals'
import { Link } from 'wouter-preact'
import { Markdown } from '../chat/markdown.tsx'
import { useResource } from '../client/api.ts'
import { t } from '../client/language.ts'
import { api, type ResultOf } from '../client/typed.ts'
import { Card, Empty, Loaded, Page } from '../ui/parts.tsx'
import { SearchField } from '../ui/search-field.tsx'

type Entry = ResultOf<'GET', '/api/docs'>['documents'][number]

export function DocsPage({ name }: { readonly name?: string }) {
  return name === undefined ? <List /> : <Document name={name} />
}

function List() {
  const search = useSignal('')
  const documents = useResource((signal) => api.get('/api/docs', {}, signal), [])
  const words = search.value.toLowerCase().split(/\s+/)
  const fits = ({ name, description }: Entry) =>
    words.every((word) => `${name} ${description}`.toLowerCase().includes(word))
  return (
    <Page title={t('Documentation')}>
      <div class="filters">
        <SearchField words={search} />
      </div>
      <Loaded from={documents}>
        {({ documents: all }) => {
          const found = all.filter(fits)
          return found.length === 0 ? <Empty>{t('Nothing was found.')}</Empty> : <Entries entries={found} />
        }}
      </Loaded>
    </Page>
  )
}

function Entries({ entries }: { readonly entries: readonly Entry[] }) {
  const guides = entries.filter(({ kind }) => kind === 'guide')
  const plugins = entries.filter(({ kind }) => kind !== 'guide')
  return (
    <>
      {guides.length > 0 && <Part title={t('Guides')} entries={guides} />}
      {plugins.length > 0 && <Part title={t('Plugins')} entries={plugins} />}
    </>
  )
}

function Part({ title, entries }: { readonly title: string; readonly entries: readonly Entry[] }) {
  return (
    <Card title={title}>
      <ul class="checks">
        {entries.map(({ name, description }) => (
          <li key={name}>
            <Link href={`/docs/${encodeURIComponent(name)}`}>{name}</Link>
            <div class="dim">{description}</div>
          </li>
        ))}
      </ul>
    </Card>
  )
}

function Document({ name }: { readonly name: string }) {
  const document = useResource((signal) => api.get('/api/docs/:name', { name }, signal), [name])
  return (
    <Page title={name}>
      <p>
        <Link href="/docs">{t('All documentation')}</Link>
      </p>
      <Loaded from={document}>{({ text }) => <Markdown text={text} />}</Loaded>
    </Page>
  )
}
