/** What the agent asks: approvals, questions, secrets. */
import { CircleCheck, CircleHelp, KeyRound, ShieldAlert } from 'lucide-preact'
import { useState } from 'preact/hooks'
import { t } from '../client/language.ts'
import { attempt } from '../client/notices.ts'
import { Button } from '../ui/parts.tsx'
import type { QuestionEntry } from './entries.ts'
import type { EntryActions } from './entry-view.tsx'
import { Markdown } from './markdown.tsx'

interface CardProps {
  readonly entry: QuestionEntry
  readonly actions: EntryActions
}

const asText = (value: unknown) => (typeof value === 'string' ? value : '')

function reply({ entry, actions }: CardProps, value: string): Promise<unknown> {
  return attempt(async () => actions.chat?.answer(entry, value))
}

function Answered({ entry }: { entry: QuestionEntry }) {
  const answer = entry.answer.value ?? ''
  return (
    <p class="answered">
      <CircleCheck size={14} aria-hidden="true" />{' '}
      {answer === 'expired' ? t('No longer needed') : t('Answered: {answer}', { answer: choiceLabel(answer) })}
    </p>
  )
}

function choiceLabel(choice: string): string {
  switch (choice) {
    case 'once':
      return t('Allow once')
    case 'session':
      return t('Allow in this session')
    case 'project':
      return t('Allow in this project')
    case 'always':
      return t('Always allow')
    case 'deny':
      return t('Deny')
    default:
      return choice
  }
}

export function ApprovalCard({ entry, actions }: CardProps) {
  const { command, description, tool, choices, covers } = entry.payload
  const offered = Array.isArray(choices) ? choices.map(String) : ['once', 'deny']
  return (
    <section class="entry ask approval" aria-label={t('Approval')}>
      <h3>
        <ShieldAlert size={16} aria-hidden="true" /> {t('May this run?')}
        <span class="badge">{asText(tool)}</span>
      </h3>
      <pre dir="ltr">{asText(command)}</pre>
      {asText(description) !== '' && <p dir="auto">{asText(description)}</p>}
      {asText(covers) !== '' && <p class="dim">{t('Always allow covers: {what}', { what: asText(covers) })}</p>}
      {entry.answer.value !== undefined ? (
        <Answered entry={entry} />
      ) : (
        <div class="actions">
          {offered.map((choice) => (
            <Button
              key={choice}
              kind={choice === 'deny' ? 'danger' : choice === 'once' ? 'primary' : 'plain'}
              onClick={() => reply({ entry, actions }, choice)}
            >
              {choiceLabel(choice)}
            </Button>
          ))}
        </div>
      )}
    </section>
  )
}

export function QuestionCard({ entry, actions }: CardProps) {
  const { question, choices } = entry.payload
  const offered = Array.isArray(choices) ? choices.map(String) : []
  const [text, setText] = useState('')
  const send = (event: Event) => {
    event.preventDefault()
    if (text.trim() !== '') void reply({ entry, actions }, text)
  }
  return (
    <section class="entry ask question" aria-label={t('Question')}>
      <h3>
        <CircleHelp size={16} aria-hidden="true" /> {t('Question')}
      </h3>
      <Markdown text={asText(question)} />
      {entry.answer.value !== undefined ? (
        <Answered entry={entry} />
      ) : (
        <>
          {offered.length > 0 && (
            <div class="actions">
              {offered.map((choice) => (
                <Button key={choice} onClick={() => reply({ entry, actions }, choice)}>
                  {choice}
                </Button>
              ))}
            </div>
          )}
          <form class="answer-form" onSubmit={send}>
            <input
              class="input"
              dir="auto"
              aria-label={t('Your answer')}
              placeholder={t('Your answer')}
              value={text}
              onInput={(event) => setText(event.currentTarget.value)}
            />
            <Button type="submit" kind="primary" disabled={text.trim() === ''}>
              {t('Answer')}
            </Button>
          </form>
        </>
      )}
    </section>
  )
}

export function SecretCard({ entry, actions }: CardProps) {
  const [value, setValue] = useState('')
  const send = (event: Event) => {
    event.preventDefault()
    void reply({ entry, actions }, value)
    setValue('')
  }
  return (
    <section class="entry ask secret" aria-label={t('Secret')}>
      <h3>
        <KeyRound size={16} aria-hidden="true" /> {asText(entry.payload['prompt'])}
      </h3>
      {entry.answer.value !== undefined ? (
        <Answered entry={entry} />
      ) : (
        <form class="answer-form" onSubmit={send}>
          <input
            class="input"
            type="password"
            autocomplete="off"
            aria-label={t('Secret')}
            value={value}
            onInput={(event) => setValue(event.currentTarget.value)}
          />
          <Button type="submit" kind="primary">
            {value === '' ? t('Skip') : t('Send')}
          </Button>
        </form>
      )}
    </section>
  )
}
