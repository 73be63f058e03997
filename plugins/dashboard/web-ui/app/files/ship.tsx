/** Where the branch goes: a push that is confirmed with its address, and a pull request. */
import { useSignal } from '@preact/signals'
import { GitPullRequest, Upload } from 'lucide-preact'
import { useResource } from '../client/api.ts'
import { bind, useToggle } from '../client/fields.ts'
import { t } from '../client/language.ts'
import { attempt } from '../client/notices.ts'
import { api, type ResultOf } from '../client/typed.ts'
import { FormDialog } from '../ui/form-dialog.tsx'
import { Badge, Button, Confirm, Field, Loaded, Switch, TextField } from '../ui/parts.tsx'

type Info = ResultOf<'GET', '/api/git/review/ship-info'>
type Target = NonNullable<Info['target']>

interface ShipProps {
  readonly session: string
  readonly branch: string
}

export function Ship({ session, branch }: ShipProps) {
  const info = useResource(
    (signal) => api.get('/api/git/review/ship-info', { session }, signal),
    [session, branch],
    30_000,
  )
  const pushing = useToggle()
  const proposing = useToggle()
  const push = async ({ url, remote }: Target) => {
    const body = { url, ...(session !== '' && { session }) }
    await attempt(() => api.post('/api/git/review/push', body), t('Pushed to {remote}', { remote }))
    info.reload()
  }
  return (
    <Loaded from={info}>
      {({ target, reason, gh_ready: isReady, pr }) => (
        <section class="operation" aria-label={t('Push')}>
          {!target && <p class="dim">{reason}</p>}
          {target && (
            <p class="actions">
              <span>
                {target.remote} <code>{target.url}</code>
              </span>
              <span class="dim">{describe(target)}</span>
              {pr && (
                <a href={pr.url} target="_blank" rel="noreferrer">
                  {t('Pull request {number}', { number: String(pr.number) })} <Badge>{pr.state.toLowerCase()}</Badge>
                </a>
              )}
            </p>
          )}
          {target && (
            <div class="actions end">
              {isReady && pr?.state !== 'OPEN' && target.upstream !== null && (
                <Button icon={GitPullRequest} onClick={proposing.on}>
                  {t('Open a pull request')}
                </Button>
              )}
              <Button icon={Upload} disabled={target.ahead === 0} onClick={pushing.on}>
                {t('Push')}
              </Button>
            </div>
          )}
          {target && pushing.isOn && (
            <Confirm
              title={t('Push {branch}', { branch: target.branch })}
              text={t('The commits of {branch} go to {url}. Others can see them there.', target)}
              action={t('Push')}
              onClose={pushing.off}
              onConfirm={() => push(target)}
            />
          )}
          {proposing.isOn && <Proposal session={session} onClose={proposing.off} onDone={info.reload} />}
        </section>
      )}
    </Loaded>
  )
}

function describe({ upstream, ahead }: Target): string {
  if (upstream === null || ahead === null) return t('The branch is new there.')
  return ahead === 0
    ? t('Nothing to push.')
    : t('{count, plural, one {# commit} other {# commits}} to push', { count: ahead })
}

interface ProposalProps {
  readonly session: string
  onClose(): void
  onDone(): void
}

function Proposal({ session, onClose, onDone }: ProposalProps) {
  const [title, text] = [useSignal(''), useSignal('')]
  const draft = useToggle()
  const open = async () => {
    const body = { title: title.value, body: text.value, draft: draft.isOn, ...(session !== '' && { session }) }
    if (!(await attempt(() => api.post('/api/git/review/create-pr', body), t('The pull request is open')))) return
    onDone()
    onClose()
  }
  return (
    <FormDialog title={t('Open a pull request')} action={t('Open a pull request')} onSubmit={open} onClose={onClose}>
      <TextField label={t('Title')} required maxLength={256} {...bind(title)} />
      <Field label={t('Description')}>
        {(id) => (
          <textarea
            id={id}
            class="input"
            rows={5}
            value={text.value}
            onInput={(event) => (text.value = event.currentTarget.value)}
          />
        )}
      </Field>
      <p class="actions">
        <Switch label={t('As a draft')} isOn={draft.isOn} onChange={draft.isOn ? draft.off : draft.on} />
        <span aria-hidden="true">{t('As a draft')}</span>
      </p>
    </FormDialog>
  )
}
