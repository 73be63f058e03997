/** A new profile in four steps: who it is, where it begins, its model, and a look at it all. */
import { useSignal } from '@preact/signals'
import { useLocation } from 'wouter-preact'
import { useResource } from '../client/api.ts'
import { msg, t } from '../client/language.ts'
import { attempt } from '../client/notices.ts'
import { api } from '../client/typed.ts'
import { Button, Card, Field, Loaded, Page, Select, TextField } from '../ui/parts.tsx'

interface Start {
  readonly name: string
  readonly description: string
  readonly soul: string
  /** The profile that is copied; empty: none. */
  readonly from: string
  readonly hasSkills: string
  readonly provider: string
  readonly model: string
}

const first: Start = { name: '', description: '', soul: '', from: '', hasSkills: 'yes', provider: '', model: '' }
const STEPS = [msg('Identity'), msg('Beginning'), msg('Model'), msg('Review')]

export function ProfileBuilder({ profiles }: { profiles: readonly { readonly name: string }[] }) {
  const [, navigate] = useLocation()
  const [step, draft] = [useSignal(0), useSignal(first)]
  const set = (change: Partial<Start>) => {
    draft.value = { ...draft.value, ...change }
  }
  const { name, description, soul, from, hasSkills, provider, model } = draft.value
  const isLast = step.value === STEPS.length - 1
  const goBack = () => {
    if (step.value === 0) navigate('/profiles')
    else step.value -= 1
  }
  const submit = async (event: Event) => {
    event.preventDefault()
    if (!isLast) {
      step.value += 1
      return
    }
    const body = {
      name: name.trim(),
      description,
      no_skills: hasSkills === 'no',
      ...(soul.trim() !== '' && { soul }),
      ...(from !== '' && { clone_from: from }),
      ...(provider !== '' && { provider }),
      ...(model !== '' && { model }),
    }
    if ((await attempt(() => api.post('/api/profiles', body), t('The profile was created.'))) !== undefined)
      navigate('/profiles')
  }
  return (
    <Page title={t('New profile')}>
      <Card title={`${step.value + 1}/${STEPS.length} · ${t(STEPS[step.value] ?? '')}`}>
        <form class="form" onSubmit={submit}>
          {step.value === 0 && <Identity draft={draft.value} set={set} />}
          {step.value === 1 && <Beginning draft={draft.value} set={set} profiles={profiles} />}
          {step.value === 2 && <Model draft={draft.value} set={set} />}
          {isLast && <Review draft={draft.value} />}
          <div class="actions end">
            <Button onClick={goBack}>{step.value === 0 ? t('Cancel') : t('Back')}</Button>
            <Button type="submit" kind="primary" disabled={name.trim() === ''}>
              {isLast ? t('Create') : t('Next')}
            </Button>
          </div>
        </form>
      </Card>
    </Page>
  )
}

interface StepProps {
  readonly draft: Start
  set(change: Partial<Start>): void
}

function Identity({ draft, set }: StepProps) {
  return (
    <>
      <TextField
        label={t('Name')}
        help={t('Small letters, digits, - and _.')}
        required
        maxLength={64}
        value={draft.name}
        onValue={(name) => set({ name })}
      />
      <TextField
        label={t('What it is for')}
        maxLength={2000}
        value={draft.description}
        onValue={(description) => set({ description })}
      />
      <Field label={t('Who the agent is')} help={t('Kept in SOUL.md; empty: as it is everywhere.')}>
        {(id, helpId) => (
          <textarea
            id={id}
            class="input"
            rows={5}
            aria-describedby={helpId}
            value={draft.soul}
            onInput={(event) => set({ soul: event.currentTarget.value })}
          />
        )}
      </Field>
    </>
  )
}

function Beginning({ draft, set, profiles }: StepProps & { profiles: readonly { readonly name: string }[] }) {
  return (
    <>
      <Select
        label={t('Begin with')}
        help={t('A copy has the settings, keys, skills and memories of its original.')}
        value={draft.from}
        onValue={(from) => set({ from })}
        options={[
          ['', t('An empty profile')],
          ...profiles.map(({ name }) => [name, t('A copy of {name}', { name })] as const),
        ]}
      />
      {draft.from === '' && (
        <Select
          label={t('Built-in skills')}
          value={draft.hasSkills}
          onValue={(hasSkills) => set({ hasSkills })}
          options={[
            ['yes', t('Copied into it')],
            ['no', t('Left out')],
          ]}
        />
      )}
    </>
  )
}

function Model({ draft, set }: StepProps) {
  const options = useResource((signal) => api.get('/api/model/options', {}, signal), [])
  return (
    <Loaded from={options}>
      {({ providers }) => {
        const models = providers.find(({ slug }) => slug === draft.provider)?.models ?? []
        return (
          <>
            <Select
              label={t('Provider')}
              value={draft.provider}
              onValue={(provider) => set({ provider, model: '' })}
              options={[['', t('Chosen later')], ...providers.map(({ slug, name }) => [slug, name] as const)]}
            />
            {draft.provider !== '' && (
              <Field label={t('Model')}>
                {(id) => (
                  <>
                    <input
                      id={id}
                      class="input"
                      list={`${id}-models`}
                      value={draft.model}
                      onInput={(event) => set({ model: event.currentTarget.value })}
                    />
                    <datalist id={`${id}-models`}>
                      {models.slice(0, 200).map((each) => (
                        <option key={each} value={each} />
                      ))}
                    </datalist>
                  </>
                )}
              </Field>
            )}
          </>
        )
      }}
    </Loaded>
  )
}

function Review({ draft: { name, description, soul, from, hasSkills, provider, model } }: { draft: Start }) {
  const rows: readonly (readonly [string, string])[] = [
    [t('Name'), name],
    [t('What it is for'), description],
    [t('Begin with'), from === '' ? t('An empty profile') : t('A copy of {name}', { name: from })],
    ...(from === ''
      ? [[t('Built-in skills'), hasSkills === 'yes' ? t('Copied into it') : t('Left out')] as const]
      : []),
    [t('Model'), [provider, model].filter(Boolean).join(' · ') || t('Chosen later')],
    ...(soul.trim() === '' ? [] : [[t('Who the agent is'), soul] as const]),
  ]
  return (
    <dl class="facts">
      {rows.map(([title, value]) => (
        <div key={title}>
          <dt class="dim">{title}</dt>
          <dd dir="auto">{value}</dd>
        </div>
      ))}
    </dl>
  )
}
