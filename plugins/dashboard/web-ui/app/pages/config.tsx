/** Settings: a form of all keys, the text of config.yaml, and what was changed in it. */
import { type Signal, useSignal } from '@preact/signals'
import { Undo2 } from 'lucide-preact'
import { useEffect } from 'preact/hooks'
import { Diff } from '../chat/markdown.tsx'
import { useResource } from '../client/api.ts'
import { useSearched } from '../client/fields.ts'
import { ago, t } from '../client/language.ts'
import { attempt, notify } from '../client/notices.ts'
import { api } from '../client/typed.ts'
import { RawConfigEditor } from '../settings/raw-config.tsx'
import { Badge, Button, Card, Empty, Fold, Loaded, Page, Switch, Tabs } from '../ui/parts.tsx'

interface ConfigField {
  readonly path: string
  readonly type: 'string' | 'number' | 'boolean' | 'list' | 'object' | 'unknown'
  readonly value: unknown
  readonly default: unknown
  readonly description: string
  readonly category: string
  readonly secret: boolean
  /** Why it cannot be changed here. */
  readonly fixed: string | null
}

export function ConfigPage() {
  return (
    <Page title={t('Settings')}>
      <Tabs
        label={t('Settings')}
        tabs={[
          { id: 'form', label: t('Form'), body: () => <Form /> },
          { id: 'raw', label: 'config.yaml', body: () => <RawConfigEditor /> },
          { id: 'history', label: t('Changes'), body: () => <History /> },
        ]}
      />
    </Page>
  )
}

type Edits = Readonly<Record<string, unknown>>

function Form() {
  const fields = useResource((signal) => api.get('/api/config/schema', {}, signal), [])
  const [search, category] = [useSearched(), useSignal('')]
  const edits = useSignal<Edits>({})
  const save = async () => {
    const body = {
      edits: Object.fromEntries(Object.entries(edits.value).map(([path, value]) => [path, value ?? null])),
    }
    const done = await attempt(() => api.put('/api/config', body))
    if (!done) return
    edits.value = {}
    notify(t('Saved'), 'ok')
    fields.reload()
  }
  return (
    <Loaded from={fields}>
      {({ fields: listed }) => {
        const all = withoutBlocks(listed)
        const categories = [...new Set(all.map((field) => field.category))].sort()
        const chosen = category.value || categories[0]
        const words = search.value.toLowerCase()
        const shown = all.filter((field) =>
          words === '' ? field.category === chosen : `${field.path} ${field.description}`.toLowerCase().includes(words),
        )
        return (
          <>
            <div class="filters">
              <input
                class="input"
                type="search"
                aria-label={t('Search settings')}
                placeholder={t('Search settings')}
                value={search.value}
                onInput={(event) => {
                  search.value = event.currentTarget.value
                }}
              />
              <Button kind="primary" disabled={Object.keys(edits.value).length === 0} onClick={save}>
                {t('Save {count, plural, one {# change} other {# changes}}', {
                  count: Object.keys(edits.value).length,
                })}
              </Button>
              <Button
                disabled={Object.keys(edits.value).length === 0}
                onClick={() => {
                  edits.value = {}
                }}
              >
                {t('Drop')}
              </Button>
            </div>
            <div class="settings">
              <nav aria-label={t('Groups of settings')}>
                {categories.map((name) => (
                  <button
                    type="button"
                    key={name}
                    class="choice"
                    aria-pressed={words === '' && name === chosen}
                    onClick={() => {
                      category.value = name
                      search.value = ''
                    }}
                  >
                    {name}
                  </button>
                ))}
              </nav>
              <div>
                {shown.slice(0, 200).map((field) => (
                  <SettingRow key={field.path} field={field} edits={edits} />
                ))}
                {shown.length === 0 && <Empty>{t('Nothing was found.')}</Empty>}
              </div>
            </div>
          </>
        )
      }}
    </Loaded>
  )
}

/** A block is shown by its keys. */
function withoutBlocks(fields: readonly ConfigField[]): readonly ConfigField[] {
  const blocks = new Set(
    fields.flatMap(({ path }) => path.split('.').map((_, at, parts) => parts.slice(0, at).join('.'))),
  )
  return fields.filter(({ path }) => !blocks.has(path))
}

function SettingRow({ field, edits }: { field: ConfigField; edits: Signal<Edits> }) {
  const isEdited = field.path in edits.value
  const value = isEdited ? edits.value[field.path] : field.value
  const set = (next: unknown) => {
    edits.value = { ...edits.value, [field.path]: next }
  }
  return (
    <div class="setting">
      <div>
        <p class="setting-name">
          <code>{field.path}</code> {isEdited && <Badge tone="warning">{t('changed')}</Badge>}
        </p>
        <p class="help">{field.description}</p>
        {field.fixed && <p class="help">{field.fixed}</p>}
      </div>
      <SettingInput field={field} value={value} isEdited={isEdited} set={set} />
    </div>
  )
}

interface InputProps {
  readonly field: ConfigField
  readonly value: unknown
  readonly isEdited: boolean
  set(value: unknown): void
}

function SettingInput({ field, value, isEdited, set }: InputProps) {
  const disabled = field.fixed !== null
  const effective = value ?? field.default
  // What is typed stays as it is, also where it is not yet the value that it becomes.
  const typed = useSignal<string | undefined>(undefined)
  useEffect(() => {
    if (!isEdited) typed.value = undefined
  }, [isEdited])
  if (field.type === 'boolean')
    return <Switch label={field.path} isOn={effective === true} disabled={disabled} onChange={(isOn) => set(isOn)} />
  const isPlain = field.type === 'string' || field.type === 'number' || field.type === 'unknown'
  const format = (given: unknown) =>
    given === null || given === undefined ? '' : isPlain ? String(given) : JSON.stringify(given)
  return (
    <input
      class="input"
      type={field.secret ? 'password' : field.type === 'number' ? 'number' : 'text'}
      step="any"
      autocomplete="off"
      aria-label={field.path}
      placeholder={format(field.default)}
      disabled={disabled}
      value={typed.value ?? format(value)}
      onInput={(event) => {
        typed.value = event.currentTarget.value
        set(parse(field, event.currentTarget.value))
      }}
    />
  )
}

/** What was typed as the type of the key; empty is the default again. */
function parse({ type }: ConfigField, text: string): unknown {
  if (text === '') return null
  if (type === 'number') return Number(text)
  if (type === 'string') return text
  try {
    return JSON.parse(text)
  } catch {
    return type === 'list' ? text.split(',').map((each) => each.trim()) : text
  }
}

function History() {
  const history = useResource((signal) => api.get('/api/config/changes', {}, signal), [])
  const undo = (id: number) =>
    attempt(() => api.post('/api/config/undo', { id }), t('The change was taken back.')).then(history.reload)
  return (
    <Loaded from={history}>
      {({ changes }) =>
        changes.length === 0 ? (
          <Empty>{t('Nothing was changed yet.')}</Empty>
        ) : (
          <div class="form">
            {changes.map(({ id, at, author, reason, diff, undone_by: undoneBy }) => (
              <Card
                key={id}
                title={`${reason} · ${author}`}
                actions={
                  undoneBy === null ? (
                    <Button icon={Undo2} onClick={() => undo(id)}>
                      {t('Undo')}
                    </Button>
                  ) : (
                    <Badge>{t('taken back')}</Badge>
                  )
                }
              >
                <Fold summary={ago(at)}>
                  <Diff text={diff} />
                </Fold>
              </Card>
            ))}
          </div>
        )
      }
    </Loaded>
  )
}
