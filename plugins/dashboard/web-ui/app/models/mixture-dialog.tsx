/** A mixture is made or changed. What was typed stays where it was refused. */
import { useSignal } from '@preact/signals'
import { Plus, Trash2 } from 'lucide-preact'
import { useId } from 'preact/hooks'
import type { ModelOptions } from '../chat/model-picker.tsx'
import { t } from '../client/language.ts'
import { notify } from '../client/notices.ts'
import { FormDialog } from '../ui/form-dialog.tsx'
import { Button, Select, TextField } from '../ui/parts.tsx'
import { Refusal } from '../ui/refusal.tsx'
import { changeMixture, type Draft, fromDraft, MIXTURES, type Preset, toDraft } from './mixture.ts'

type Providers = ModelOptions['providers']

export interface MixtureDialogProps {
  /** Empty: a new mixture. */
  readonly name: string
  /** What the form begins with. */
  readonly preset: Preset
  readonly providers: Providers
  onClose(): void
  done(): void
}

export function MixtureDialog({ name, preset, providers, onClose, done }: MixtureDialogProps) {
  const draft = useSignal(toDraft(name, preset))
  const refused = useSignal<string | undefined>(undefined)
  const change = (next: Partial<Draft>) => {
    draft.value = { ...draft.value, ...next }
  }
  const save = async () => {
    try {
      const after = fromDraft(draft.value, preset.enabled)
      await changeMixture({ name: name || draft.value.name.trim(), before: name ? preset : undefined, after })
      notify(t('Saved'), 'ok')
      done()
      onClose()
    } catch (error) {
      refused.value = (error as Error).message
    }
  }
  const { aggregator, referenceTemperature, aggregatorTemperature, maxTokens, timeout } = draft.value
  const isOwn = t('Empty: as the provider has it.')
  return (
    <FormDialog title={name || t('New mixture')} action={t('Save')} onSubmit={save} onClose={onClose}>
      {name === '' && (
        <TextField label={t('Name')} required value={draft.value.name} onValue={(value) => change({ name: value })} />
      )}
      <References draft={draft.value} providers={providers} change={change} />
      <div class="plan">
        <ModelFields
          legend={t('Aggregator')}
          model={aggregator}
          providers={providers}
          change={(next) => change({ aggregator: { ...aggregator, ...next } })}
        />
      </div>
      <NumberField
        label={t('Temperature of the reference models')}
        help={isOwn}
        value={referenceTemperature}
        onValue={(value) => change({ referenceTemperature: value })}
      />
      <NumberField
        label={t('Temperature of the aggregator')}
        help={isOwn}
        value={aggregatorTemperature}
        onValue={(value) => change({ aggregatorTemperature: value })}
      />
      <NumberField
        label={t('Most tokens of a reference answer')}
        required
        value={maxTokens}
        onValue={(value) => change({ maxTokens: value })}
      />
      <NumberField
        label={t('Seconds that a reference answer may take')}
        required
        value={timeout}
        onValue={(value) => change({ timeout: value })}
      />
      {refused.value !== undefined && <Refusal text={refused.value} />}
    </FormDialog>
  )
}

/** Bounds are those of the server, which says them. */
function NumberField(props: Parameters<typeof TextField>[0]) {
  return <TextField type="number" step="any" {...props} />
}

interface ReferencesProps {
  readonly draft: Draft
  readonly providers: Providers
  change(next: Partial<Draft>): void
}

function References({ draft: { references }, providers, change }: ReferencesProps) {
  const set = (next: Draft['references']) => change({ references: next })
  const add = () => {
    const key = Math.max(...references.map((each) => each.key)) + 1
    set([...references, { provider: references.at(-1)?.provider ?? '', model: '', key }])
  }
  return (
    <>
      <ol class="plan">
        {references.map((each, at) => (
          <li key={each.key}>
            <ModelFields
              legend={t('Reference model {number}', { number: at + 1 })}
              model={each}
              providers={providers}
              change={(next) => set(references.map((old) => (old === each ? { ...old, ...next } : old)))}
              {...(references.length > 1 && { remove: () => set(references.filter((old) => old !== each)) })}
            />
          </li>
        ))}
      </ol>
      <Button icon={Plus} onClick={add}>
        {t('Add a reference model')}
      </Button>
    </>
  )
}

interface ModelFieldsProps {
  readonly legend: string
  readonly model: Preset['aggregator']
  readonly providers: Providers
  change(next: Partial<Preset['aggregator']>): void
  remove?(): void
}

function ModelFields({ legend, model: { provider, model }, providers, change, remove }: ModelFieldsProps) {
  const list = useId()
  const known = providers.filter(({ slug }) => slug !== MIXTURES)
  const named = known.map(({ slug, name }) => [slug, name] as const)
  // One that is configured and not known is shown as it is.
  const options = known.some(({ slug }) => slug === provider) ? named : [[provider, provider] as const, ...named]
  return (
    <fieldset class="form">
      <legend>{legend}</legend>
      <Select label={t('Provider')} value={provider} options={options} onValue={(next) => change({ provider: next })} />
      <TextField label={t('Model')} required list={list} value={model} onValue={(next) => change({ model: next })} />
      <datalist id={list}>
        {known
          .find(({ slug }) => slug === provider)
          ?.models.map((each) => (
            <option key={each} value={each} />
          ))}
      </datalist>
      {remove && (
        <Button icon={Trash2} kind="quiet" onClick={remove}>
          {t('Remove {name}', { name: legend })}
        </Button>
      )}
    </fieldset>
  )
}
