/** One entry of a transcript. */
import { useComputed } from '@preact/signals'
import {
  Brain,
  CircleAlert,
  CircleCheck,
  CircleX,
  Clock,
  CornerDownRight,
  GitBranch,
  Info,
  LoaderCircle,
  Square,
  TriangleAlert,
  Users,
  Volume2,
  Wrench,
} from 'lucide-preact'
import { useRef } from 'preact/hooks'
import { t } from '../client/language.ts'
import { Button, Fold } from '../ui/parts.tsx'
import { ApprovalCard, QuestionCard, SecretCard } from './cards.tsx'
import type { ChatSession } from './chat-session.ts'
import type { AnswerEntry, Entry, ImageEntry, NoticeEntry, SubagentEntry, ToolEntry, UserEntry } from './entries.ts'
import { CodeBlock, Diff, Markdown } from './markdown.tsx'
import { readAloud, readableText, reading, stopReading } from './read-aloud.ts'
import { canSpeak } from './speech.ts'

export interface EntryActions {
  readonly chat?: ChatSession
  branch?(seq: number): void
}

export function EntryView({ entry, actions }: { entry: Entry; actions: EntryActions }) {
  switch (entry.kind) {
    case 'user':
      return <UserView entry={entry} actions={actions} />
    case 'answer':
      return <AnswerView entry={entry} actions={actions} />
    case 'reasoning':
      return <ReasoningView entry={entry} />
    case 'tool':
      return <ToolView entry={entry} />
    case 'approval':
      return <ApprovalCard entry={entry} actions={actions} />
    case 'question':
      return <QuestionCard entry={entry} actions={actions} />
    case 'secret':
      return <SecretCard entry={entry} actions={actions} />
    case 'notice':
      return <NoticeView entry={entry} />
    case 'image':
      return <ImageView entry={entry} />
    case 'subagent':
      return <SubagentView entry={entry} />
  }
}

function UserView({ entry, actions }: { entry: UserEntry; actions: EntryActions }) {
  const { text, images, state, seq } = entry
  return (
    <div class={`entry user ${state.value}`}>
      <div class="bubble" dir="auto">
        {images.map((image, at) => (
          <img key={at} src={`data:${image.media_type};base64,${image.data}`} alt={t('Attached picture')} />
        ))}
        <p>{text}</p>
      </div>
      {state.value !== 'sent' && (
        <p class="entry-state">
          {state.value === 'waiting' ? (
            <Clock size={13} aria-hidden="true" />
          ) : (
            <CircleAlert size={13} aria-hidden="true" />
          )}
          {state.value === 'waiting' ? t('Waiting to be sent') : t('Not sent')}
        </p>
      )}
      {seq !== undefined && actions.branch && (
        <div class="entry-tools">
          <Button icon={GitBranch} kind="quiet" label={t('Branch from here')} onClick={() => actions.branch?.(seq)} />
        </div>
      )}
    </div>
  )
}

function AnswerView({ entry, actions }: { entry: AnswerEntry; actions: EntryActions }) {
  const shown = useRef<HTMLDivElement>(null)
  const isRead = reading.value?.id === entry.id
  const start = () => {
    const answer = shown.current?.querySelector('.markdown')
    void readAloud(entry.id, readableText(answer) || entry.text.value)
  }
  return (
    <div ref={shown} class={`entry answer ${entry.isDone.value ? '' : 'growing'}`}>
      <Markdown text={entry.text.value} />
      {actions.chat && canSpeak.value && entry.isDone.value && (
        <div class={`entry-tools ${isRead ? 'shown' : ''}`}>
          <Button
            icon={isRead ? Square : Volume2}
            kind="quiet"
            label={isRead ? t('Stop reading aloud') : t('Read aloud')}
            onClick={isRead ? stopReading : start}
          />
          {isRead && (
            <span class="dim" role="status">
              {reading.value?.state === 'loading' ? t('The speech is made…') : t('Reading aloud')}
            </span>
          )}
        </div>
      )}
    </div>
  )
}

function ReasoningView({ entry }: { entry: AnswerEntry }) {
  const isDone = entry.isDone.value
  return (
    <div class="entry reasoning">
      <Fold
        summary={
          <>
            <Brain size={14} aria-hidden="true" /> {isDone ? t('Reasoning') : t('Thinking…')}
          </>
        }
      >
        <p dir="auto">{entry.text.value}</p>
      </Fold>
    </div>
  )
}

function ToolView({ entry }: { entry: ToolEntry }) {
  const result = entry.result.value
  const took = entry.tookMs.value
  const diffs = useComputed(() => findDiffs(entry.result.value?.data)).value
  return (
    <div class={`entry tool ${result ? (result.ok ? 'ok' : 'failed') : 'running'}`}>
      <Fold
        summary={
          <>
            <span class="tool-state">
              {!result && <LoaderCircle size={14} class="spin" aria-label={t('running')} />}
              {result?.ok === true && <CircleCheck size={14} aria-label={t('done')} />}
              {result?.ok === false && <CircleX size={14} aria-label={t('failed')} />}
            </span>
            <Wrench size={14} aria-hidden="true" />
            <strong>{entry.name}</strong>
            <span class="tool-label" dir="ltr">
              {entry.label}
            </span>
            {took !== undefined && took >= 1000 && <span class="dim">{(took / 1000).toFixed(1)} s</span>}
          </>
        }
      >
        <ToolDetails entry={entry} />
      </Fold>
      {!result && entry.progress.value !== '' && <pre class="tool-progress">{entry.progress.value.slice(-2000)}</pre>}
      {diffs.map(({ path, diff }) => (
        <figure class="diff-box" key={path}>
          <figcaption dir="ltr">{path}</figcaption>
          <Diff text={diff} />
        </figure>
      ))}
    </div>
  )
}

const MAX_SHOWN = 20_000

function ToolDetails({ entry }: { entry: ToolEntry }) {
  const result = entry.result.value
  const text = result?.text ?? ''
  return (
    <div class="tool-details">
      <h3>{t('Input')}</h3>
      <CodeBlock text={JSON.stringify(entry.args, null, 2) ?? ''} language="json" />
      {result && (
        <>
          <h3>{t('Result')}</h3>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reachable by keyboard */}
          <pre class="tool-text" tabIndex={0} dir="auto">
            {text.slice(0, MAX_SHOWN)}
          </pre>
          {text.length > MAX_SHOWN && <p class="dim">{t('The rest is not shown.')}</p>}
        </>
      )}
    </div>
  )
}

/** Unified diffs in the data of a result: of one file, or of several. */
function findDiffs(data: unknown): readonly { readonly path: string; readonly diff: string }[] {
  const { diff, path = '', files } = (data ?? {}) as Readonly<Record<string, unknown>>
  if (typeof diff === 'string' && diff !== '') return [{ path: String(path), diff }]
  if (!Array.isArray(files)) return []
  return files.flatMap((file) =>
    typeof file?.diff === 'string' && file.diff !== '' ? [{ path: String(file.path ?? ''), diff: file.diff }] : [],
  )
}

const noticeIcons = { info: Info, warning: TriangleAlert, error: CircleAlert }

function NoticeView({ entry }: { entry: NoticeEntry }) {
  const Icon = noticeIcons[entry.tone]
  return (
    <div class={`entry notice ${entry.tone}`} role={entry.tone === 'error' ? 'alert' : undefined}>
      <Icon size={15} aria-hidden="true" />
      <p dir="auto">
        {entry.text}
        {entry.code && <code class="dim"> {entry.code}</code>}
      </p>
    </div>
  )
}

function ImageView({ entry }: { entry: ImageEntry }) {
  return (
    <div class="entry image">
      <img src={`data:${entry.image.media_type};base64,${entry.image.data}`} alt={t('Picture')} />
    </div>
  )
}

function SubagentView({ entry }: { entry: SubagentEntry }) {
  const outcome = entry.outcome.value
  return (
    <div class={`entry subagent ${outcome ? (outcome.ok ? 'ok' : 'failed') : 'running'}`}>
      <p>
        <Users size={14} aria-hidden="true" /> <strong>{t('Subagent')}</strong> <span dir="auto">{entry.goal}</span>
      </p>
      {!outcome && entry.activity.value !== '' && (
        <p class="dim">
          <CornerDownRight size={14} aria-hidden="true" /> {entry.activity.value.slice(0, 200)}
        </p>
      )}
      {outcome && (
        <Fold summary={outcome.ok ? t('done') : t('failed')}>
          <Markdown text={outcome.text} />
        </Fold>
      )}
    </div>
  )
}
