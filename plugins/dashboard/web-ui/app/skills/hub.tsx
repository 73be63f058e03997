/** Skills of others: search, a look at one with what the scan found, install, remove, restore. */
import { useSignal } from '@preact/signals'
import { Download, Trash2, Undo2 } from 'lucide-preact'
import { Markdown } from '../chat/markdown.tsx'
import { useResource } from '../client/api.ts'
import { bind, useToggle } from '../client/fields.ts'
import { t } from '../client/language.ts'
import { attempt } from '../client/notices.ts'
import { api, type ResultOf } from '../client/typed.ts'
import { Badge, Button, Card, Confirm, Dialog, Fold, Loaded, Table } from '../ui/parts.tsx'

type Known = ResultOf<'GET', '/api/skills/hub/sources'>

type Found = ResultOf<'GET', '/api/skills/hub/search'>

type Preview = ResultOf<'GET', '/api/skills/hub/preview'>

const tones = { safe: 'ok', caution: 'warning', dangerous: 'error' }

export function SkillHub() {
  const words = useSignal('')
  const found = useSignal<Found | undefined>(undefined)
  const shown = useSignal<string | undefined>(undefined)
  const known = useResource((signal) => api.get('/api/skills/hub/sources', {}, signal), [])
  const search = async (event: Event) => {
    event.preventDefault()
    found.value = await attempt(() => api.get('/api/skills/hub/search', { q: words.value }))
  }
  /** An address of a skill is looked at without a search. */
  const isAddress = /^\S+[/:]\S+$/.test(words.value.trim())
  return (
    <>
      <form class="filters" onSubmit={search}>
        <input
          class="input"
          type="search"
          aria-label={t('Search for skills of others')}
          placeholder={t('Search for skills of others')}
          required
          value={words.value}
          onInput={(event) => bind(words).onValue(event.currentTarget.value)}
        />
        <Button type="submit">{t('Search')}</Button>
        {isAddress && (
          <Button
            onClick={() => {
              shown.value = words.value.trim()
            }}
          >
            {t('Look at it')}
          </Button>
        )}
      </form>
      {found.value && <Results found={found.value} show={(identifier) => (shown.value = identifier)} />}
      <Loaded from={known}>{(data) => <Installed known={data} reload={known.reload} />}</Loaded>
      {shown.value !== undefined && (
        <Look
          identifier={shown.value}
          done={known.reload}
          onClose={() => {
            shown.value = undefined
          }}
        />
      )}
    </>
  )
}

function Results({ found: { results, failed }, show }: { found: Found; show: (identifier: string) => void }) {
  return (
    <Card title={t('Found')}>
      {failed.map(({ source, reason }) => (
        <p key={source} class="dim">
          {source}: {reason}
        </p>
      ))}
      {results.length === 0 ? (
        <p class="dim">{t('Nothing was found.')}</p>
      ) : (
        <Table label={t('Found')} head={[t('Skill'), t('Trust'), '']}>
          {results.map(({ identifier, description, trust_level: trust, installed }) => (
            <tr key={identifier}>
              <td>
                <code>{identifier}</code>
                <p class="help">{description}</p>
              </td>
              <td>
                <Badge>{trust}</Badge> {installed && <Badge tone="ok">{t('installed')}</Badge>}
              </td>
              <td>
                <Button onClick={() => show(identifier)}>{t('Look at it')}</Button>
              </td>
            </tr>
          ))}
        </Table>
      )}
    </Card>
  )
}

function Installed({ known: { installed, removed }, reload }: { known: Known; reload: () => void }) {
  const restore = (name: string) =>
    attempt(() => api.post('/api/skills/hub/restore', { name }), t('{name} is back.', { name })).then(reload)
  return (
    <Card title={t('Installed from elsewhere')}>
      {installed.length + removed.length === 0 ? (
        <p class="dim">{t('No skill of others is installed.')}</p>
      ) : (
        <Table label={t('Installed from elsewhere')} head={[t('Skill'), t('From'), '']}>
          {installed.map(({ name, identifier }) => (
            <tr key={name}>
              <td>{name}</td>
              <td>{identifier}</td>
              <td>
                <Remove name={name} reload={reload} />
              </td>
            </tr>
          ))}
          {removed.map(({ name, identifier }) => (
            <tr key={`-${name}`}>
              <td>
                {name} <Badge>{t('removed')}</Badge>
              </td>
              <td>{identifier}</td>
              <td>
                <Button icon={Undo2} kind="quiet" label={t('Restore {name}', { name })} onClick={() => restore(name)} />
              </td>
            </tr>
          ))}
        </Table>
      )}
    </Card>
  )
}

function Remove({ name, reload }: { name: string; reload: () => void }) {
  const asking = useToggle()
  return (
    <>
      <Button icon={Trash2} kind="quiet" label={t('Remove {name}', { name })} onClick={asking.on} />
      {asking.isOn && (
        <Confirm
          title={t('Remove {name}', { name })}
          text={t('Its files are kept aside, and it can be restored here.')}
          action={t('Remove')}
          onClose={asking.off}
          onConfirm={() => attempt(() => api.post('/api/skills/hub/remove', { name }), t('Removed')).then(reload)}
        />
      )}
    </>
  )
}

function Look({ identifier, onClose, done }: { identifier: string; onClose: () => void; done: () => void }) {
  const preview = useResource((signal) => api.get('/api/skills/hub/preview', { identifier }, signal), [identifier])
  const install = async ({ digest, policy, name }: Preview) => {
    const body = { identifier, digest, force: policy === 'forced' }
    const installed = await attempt(
      () => api.post('/api/skills/hub/install', body),
      t('{name} is installed.', { name }),
    )
    if (installed === undefined) return
    done()
    onClose()
  }
  return (
    <Dialog title={identifier} class="wide" onClose={onClose}>
      <Loaded from={preview}>
        {(skill) => (
          <>
            <p>{skill.description}</p>
            <p class="actions">
              <Badge>{skill.trust_level}</Badge>
              <Badge tone={tones[skill.verdict]}>{t('The scan says: {verdict}', { verdict: skill.verdict })}</Badge>
              <span class="dim">
                {t('{count, plural, one {# file} other {# files}}', { count: skill.files.length })}
              </span>
            </p>
            {skill.findings.length > 0 && (
              <ul>
                {skill.findings.map(({ rule, severity, file, message }, at) => (
                  <li key={at}>
                    <Badge tone={severity === 'low' ? '' : 'warning'}>{severity}</Badge> <code>{file}</code> {rule}:{' '}
                    {message}
                  </li>
                ))}
              </ul>
            )}
            <Fold summary={t('Its text')}>
              <Markdown text={skill.content.replace(/^---\n[\s\S]*?\n---\n/, '')} />
            </Fold>
            <div class="actions end">
              {skill.policy === 'block' && <p>{t('It is not installed because of what the scan found.')}</p>}
              {skill.policy === 'forced' && <p>{t('Install it only if you have read it and trust it.')}</p>}
              <Button
                icon={Download}
                kind={skill.policy === 'forced' ? 'danger' : 'primary'}
                disabled={skill.policy === 'block'}
                onClick={() => install(skill)}
              >
                {skill.policy === 'forced' ? t('Install it all the same') : t('Install')}
              </Button>
            </div>
          </>
        )}
      </Loaded>
    </Dialog>
  )
}
