/** What an empty conversation shows: what to do first, or how to connect a model. */

import { useSignal } from '@preact/signals'
import { Sparkles } from 'lucide-preact'
import { useEffect } from 'preact/hooks'
import { Link } from 'wouter-preact'
import { t } from '../client/language.ts'
import { rpc } from '../client/rpc.ts'
import { type AnswerOf, call } from '../client/typed.ts'
import { Loading } from '../ui/parts.tsx'
import type { ChatSession } from './chat-session.ts'
import { setDraft } from './composer.tsx'

export function Welcome({ chat, isLoading }: { chat: ChatSession; isLoading: boolean }) {
  const setup = useSignal<AnswerOf<'setup.status'> | undefined>(undefined)
  useEffect(
    () =>
      rpc.onOpen(() => {
        call('setup.status').then(
          (status) => (setup.value = status),
          () => {},
        )
      }),
    [],
  )
  if (isLoading) return <Loading />
  const ideas = [t('What is in this folder?'), t('Explain this project to me'), t('Find the largest files here')]
  return (
    <div class="welcome">
      <Sparkles size={36} aria-hidden="true" />
      <h2>{t('What shall we do?')}</h2>
      {setup.value?.ok === false && (
        <div class="card warning">
          <p>{t('No model is connected yet.')}</p>
          <Link href="/welcome" class="button primary">
            {t('Connect a model')}
          </Link>
        </div>
      )}
      <ul class="ideas">
        {ideas.map((idea) => (
          <li key={idea}>
            <button type="button" class="choice" onClick={() => setDraft(chat.name.value, idea)}>
              {idea}
            </button>
          </li>
        ))}
      </ul>
    </div>
  )
}
