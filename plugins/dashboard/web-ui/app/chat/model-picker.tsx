/** Chooses the model of a conversation. */
import { useSignal } from '@preact/signals'
import { Cpu } from 'lucide-preact'
import { useResource } from '../client/api.ts'
import { t } from '../client/language.ts'
import { attempt } from '../client/notices.ts'
import { api } from '../client/typed.ts'
import { Badge, Button, Dialog, Loaded, Select } from '../ui/parts.tsx'
import { type ChatSession, EFFORTS } from './chat-session.ts'

export interface ModelOptions {
  readonly providers: readonly {
    readonly slug: string
    readonly name: string
    readonly models: readonly string[]
    readonly is_current?: boolean
    readonly authenticated?: boolean
    readonly warning?: string | null
  }[]
  readonly model: string | null
  readonly provider: string | null
}

export function ModelPicker({ chat }: { chat: ChatSession }) {
  const isOpen = useSignal(false)
  const chosen = chat.model.value?.model ?? chat.info.value.model
  return (
    <>
      <Button
        icon={Cpu}
        kind="quiet"
        class="model-button"
        title={t('Choose a model')}
        onClick={() => (isOpen.value = true)}
      >
        {[chosen ?? t('Model'), chat.effort.value].filter(Boolean).join(' · ')}
      </Button>
      {isOpen.value && (
        <Dialog title={t('Choose a model')} onClose={() => (isOpen.value = false)}>
          <Select
            label={t('Reasoning')}
            value={chat.effort.value ?? ''}
            options={[['', t('As configured')], ...EFFORTS.map((effort) => [effort, effort] as const)]}
            onValue={(value) => void attempt(() => chat.chooseEffort(EFFORTS.find((effort) => effort === value)))}
          />
          <ModelList
            chosen={chosen}
            choose={(provider, model) => {
              isOpen.value = false
              void attempt(() => chat.chooseModel(provider, model))
            }}
          />
        </Dialog>
      )}
    </>
  )
}

export function ModelList({
  chosen,
  choose,
}: {
  chosen: string | undefined
  choose: (provider: string, model: string) => void
}) {
  const options = useResource((signal) => api.get('/api/model/options', {}, signal), [])
  const filter = useSignal('')
  return (
    <>
      <input
        class="input"
        type="search"
        placeholder={t('Search')}
        aria-label={t('Search')}
        value={filter.value}
        onInput={(event) => (filter.value = event.currentTarget.value)}
      />
      <Loaded from={options}>
        {({ providers }) => (
          <div class="model-list">
            {providers.map(({ slug, name, models, authenticated, warning }) => {
              const shown = models
                .filter((model) => `${name} ${model}`.toLowerCase().includes(filter.value.toLowerCase()))
                .slice(0, 60)
              if (shown.length === 0) return null
              return (
                <section key={slug}>
                  <h3>
                    {name} {authenticated === false && <Badge tone="warning">{t('no key')}</Badge>}
                  </h3>
                  {warning && <p class="dim">{warning}</p>}
                  <ul>
                    {shown.map((model) => (
                      <li key={model}>
                        <button
                          type="button"
                          class="choice"
                          aria-pressed={model === chosen}
                          onClick={() => choose(slug, model)}
                        >
                          {model}
                        </button>
                      </li>
                    ))}
                  </ul>
                </section>
              )
            })}
          </div>
        )}
      </Loaded>
    </>
  )
}
