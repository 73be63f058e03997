/** Mixtures: several models answer a message, and another one makes the answer of it. */
import { useSignal } from '@preact/signals'
import { Pencil, Plus, Trash2 } from 'lucide-preact'
import type { ModelOptions } from '../chat/model-picker.tsx'
import { ApiError, useResource } from '../client/api.ts'
import { useToggle } from '../client/fields.ts'
import { t } from '../client/language.ts'
import { attempt } from '../client/notices.ts'
import { api } from '../client/typed.ts'
import { Button, Card, Confirm, Loaded, Select, Switch, Table } from '../ui/parts.tsx'
import { changeMixture, createPreset, MIXTURES, type Mixtures, type Preset } from './mixture.ts'
import { MixtureDialog } from './mixture-dialog.tsx'

interface MixturesCardProps {
  readonly options: ModelOptions | undefined
  /** A mixture is also a model, which lists of models show. */
  changed(): void
}

export function MixturesCard({ options, changed }: MixturesCardProps) {
  const listed = useResource((signal) => api.get('/api/model/moa', {}, signal), [])
  const edited = useSignal<{ readonly name: string; readonly preset: Preset } | undefined>(undefined)
  // Their plugin is switched off.
  if (listed.error instanceof ApiError && listed.error.status === 404) return null
  const reload = () => {
    listed.reload()
    changed()
  }
  const add = () => {
    const isUsable = options?.provider !== MIXTURES
    const first = { provider: options?.provider ?? '', model: options?.model ?? '' }
    edited.value = { name: '', preset: createPreset(isUsable ? first : { provider: '', model: '' }) }
  }
  return (
    <Card
      title={t('Mixtures')}
      actions={
        <Button icon={Plus} disabled={options === undefined} onClick={add}>
          {t('New mixture')}
        </Button>
      }
    >
      <p class="dim">{t('Several models answer a message, and another one makes the answer of it.')}</p>
      <Loaded from={listed}>
        {(mixtures) => (
          <List mixtures={mixtures} reload={reload} edit={(name, preset) => (edited.value = { name, preset })} />
        )}
      </Loaded>
      {edited.value && (
        <MixtureDialog
          {...edited.value}
          providers={options?.providers ?? []}
          onClose={() => (edited.value = undefined)}
          done={reload}
        />
      )}
    </Card>
  )
}

interface ListProps {
  readonly mixtures: Mixtures
  reload(): void
  edit(name: string, preset: Preset): void
}

function List({ mixtures: { default_preset: chosen, presets }, reload, edit }: ListProps) {
  const names = Object.keys(presets)
  if (names.length === 0) return <p class="dim">{t('There are no mixtures.')}</p>
  const options = (names.includes(chosen) ? names : [chosen, ...names]).map((name) => [name, name] as const)
  return (
    <div class="form">
      <Table label={t('Mixtures')} head={[t('Name'), t('Reference models'), t('Aggregator'), '']}>
        {Object.entries(presets).map(([name, preset]) => (
          <Row key={name} name={name} preset={preset} reload={reload} edit={() => edit(name, preset)} />
        ))}
      </Table>
      <Select
        label={t('The mixture of /moa')}
        value={chosen}
        options={options}
        onValue={(name) =>
          void attempt(() => api.put('/api/model/moa', { default_preset: name }), t('Saved')).then(reload)
        }
      />
    </div>
  )
}

interface RowProps {
  readonly name: string
  readonly preset: Preset
  reload(): void
  edit(): void
}

function Row({ name, preset, reload, edit }: RowProps) {
  const removing = useToggle()
  const change = (after: Preset | undefined, done: string) =>
    attempt(() => changeMixture({ name, before: preset, after }), done).then(reload)
  return (
    <tr>
      <td>{name}</td>
      <td>
        {preset.reference_models.map(({ provider, model }, at) => (
          <div key={at}>{`${provider} · ${model}`}</div>
        ))}
      </td>
      <td>{`${preset.aggregator.provider} · ${preset.aggregator.model}`}</td>
      <td class="actions">
        <Switch
          label={t('Use {name}', { name })}
          isOn={preset.enabled}
          onChange={(enabled) => change({ ...preset, enabled }, t('Saved'))}
        />
        <Button icon={Pencil} kind="quiet" label={t('Edit {name}', { name })} onClick={edit} />
        <Button icon={Trash2} kind="quiet" label={t('Remove {name}', { name })} onClick={removing.on} />
        {removing.isOn && (
          <Confirm
            title={t('Remove {name}', { name })}
            text={t('Chats that use this mixture need another model.')}
            action={t('Remove')}
            onClose={removing.off}
            onConfirm={() => change(undefined, t('Removed'))}
          />
        )}
      </td>
    </tr>
  )
}
