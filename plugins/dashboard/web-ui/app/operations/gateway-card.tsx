/** The gateway: how it is, buttons to start, stop and restart it, and what it says meanwhile. */
import { useSignal } from '@preact/signals'
import { Pause, Play, RotateCw, Square } from 'lucide-preact'
import { useEffect } from 'preact/hooks'
import { useResource } from '../client/api.ts'
import { ago, dateTime, msg, t } from '../client/language.ts'
import { attempt } from '../client/notices.ts'
import { api, type ResultOf } from '../client/typed.ts'
import { Badge, Button, Card, Confirm, Loaded } from '../ui/parts.tsx'
import { Progress, readAction } from './followed.tsx'

type Status = ResultOf<'GET', '/api/gateway/status'>
type Verb = 'start' | 'stop' | 'restart'

const BUSY_MS = 700
const QUIET_MS = 5000

const tones: Readonly<Record<string, string>> = {
  running: 'ok',
  connected: 'ok',
  startup_failed: 'error',
  fatal: 'error',
}
const states: Readonly<Record<Status['state'], string>> = {
  starting: msg('starting'),
  running: msg('running'),
  degraded: msg('running, with a platform that is not connected'),
  draining: msg('ending'),
  stopped: msg('not running'),
  startup_failed: msg('the last start failed'),
}

export function GatewayCard() {
  const begun = useSignal<{ readonly name: string; readonly at: number } | undefined>(undefined)
  const asking = useSignal<Verb | undefined>(undefined)
  const everyMs = useSignal(QUIET_MS)
  const status = useResource((signal) => api.get('/api/gateway/status', {}, signal), [], everyMs.value)
  // An action that was begun before this page was opened is followed, too.
  const name = begun.value?.name ?? status.data?.action ?? undefined
  const action = useResource((signal) => readAction(name, signal), [name, begun.value?.at], everyMs.value)
  const isBusy = action.data != null && (action.data.running || action.data.started_at < (begun.value?.at ?? 0))
  useEffect(() => {
    everyMs.value = isBusy ? BUSY_MS : QUIET_MS
    status.reload()
  }, [isBusy])
  const begin = async (verb: Verb) => {
    const done = await attempt(() => api.post(`/api/gateway/${verb}`, {}))
    if (done) begun.value = { name: done.name, at: done.started_at }
  }
  const drain = async (action: 'drain' | 'cancel') => {
    if (await attempt(() => api.post('/api/gateway/drain', { action }))) status.reload()
  }
  const close = () => {
    asking.value = undefined
  }
  const ask = (verb: Verb) => {
    asking.value = verb
  }
  return (
    <Card
      title={t('Gateway')}
      actions={status.data && <Buttons status={status.data} isBusy={isBusy} begin={begin} ask={ask} drain={drain} />}
    >
      <Loaded from={status}>{(data) => <Facts status={data} />}</Loaded>
      {action.data && <Progress action={action.data} label={t('The last action')} />}
      {asking.value && status.data && (
        <Question status={status.data} verb={asking.value} begin={begin} onClose={close} />
      )}
    </Card>
  )
}

interface ButtonsProps {
  readonly status: Status
  readonly isBusy: boolean
  begin(verb: Verb): Promise<void>
  ask(verb: Verb): void
  drain(action: 'drain' | 'cancel'): Promise<void>
}

function Buttons({ status, isBusy, begin, ask, drain }: ButtonsProps) {
  if (!status.running && status.state !== 'starting')
    return (
      <Button icon={Play} kind="primary" disabled={isBusy} onClick={() => begin('start')}>
        {t('Start')}
      </Button>
    )
  return (
    <>
      {status.running && status.ending === null && (
        <Button
          icon={status.drained_at === null ? Pause : Play}
          onClick={() => drain(status.drained_at === null ? 'drain' : 'cancel')}
        >
          {status.drained_at === null ? t('Begin no turns') : t('Begin turns again')}
        </Button>
      )}
      <Button icon={RotateCw} disabled={isBusy} onClick={() => ask('restart')}>
        {t('Restart')}
      </Button>
      <Button icon={Square} kind="danger" disabled={isBusy} onClick={() => ask('stop')}>
        {t('Stop')}
      </Button>
    </>
  )
}

function Facts({ status }: { status: Status }) {
  const { state, pid, supervisor, started_at: startedAt, ended_at: endedAt, busy, platforms } = status
  const isDrained = status.drained_at !== null && status.ending === null
  return (
    <div class="operation">
      <p class="actions" aria-live="polite">
        <Badge tone={tones[state] ?? (status.running ? 'warning' : '')}>
          {isDrained ? t('begins no turns') : t(states[state])}
        </Badge>
        {pid !== null && <span class="dim">{t('process {pid}', { pid: String(pid) })}</span>}
        {status.running && startedAt !== null && (
          <span class="dim">{t('since {time}', { time: dateTime(startedAt) })}</span>
        )}
        {status.running && supervisor === null && <span class="dim">{t('not started again after a crash')}</span>}
        {busy > 0 && <span>{t('{count, plural, one {# answer} other {# answers}} under way', { count: busy })}</span>}
      </p>
      {!status.running && status.exit_reason !== null && (
        <p>
          {status.exit_reason} {endedAt !== null && <span class="dim">{ago(endedAt)}</span>}
        </p>
      )}
      {isDrained && (
        <p class="dim">{t('Messages of chats are stored and answered afterwards. A restart ends this, too.')}</p>
      )}
      {status.serves_dashboard && <p class="dim">{t('This gateway serves this page.')}</p>}
      {status.running && (
        <ul class="checks">
          {platforms
            .filter((platform) => platform.state !== 'disabled')
            .map((platform) => (
              <li key={platform.name}>
                {platform.label} <Badge tone={tones[platform.state] ?? 'warning'}>{platform.state}</Badge>{' '}
                {platform.reason && <span class="dim">{platform.reason}</span>}
              </li>
            ))}
        </ul>
      )}
    </div>
  )
}

interface QuestionProps {
  readonly status: Status
  readonly verb: Verb
  begin(verb: Verb): Promise<void>
  onClose(): void
}

function Question({ status, verb, begin, onClose }: QuestionProps) {
  const isStop = verb === 'stop'
  const text = [
    isStop ? t('Messages of chats wait until it runs again.') : t('Chats are connected again when it is back.'),
    t('Answers under way are finished first.'),
    status.serves_dashboard &&
      (isStop
        ? t('It serves this page, too: to start it again, use svc gateway start in a terminal.')
        : t('It serves this page, too, which connects again.')),
  ]
  return (
    <Confirm
      title={isStop ? t('Stop the gateway') : t('Restart the gateway')}
      text={text.filter(Boolean).join(' ')}
      action={isStop ? t('Stop') : t('Restart')}
      onConfirm={() => begin(verb)}
      onClose={onClose}
    />
  )
}
