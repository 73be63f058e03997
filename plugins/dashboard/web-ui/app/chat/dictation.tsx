/** Dictation: what is said becomes text of the message, which the user sends. */
import { useSignal } from '@preact/signals'
import { Check, Mic, X } from 'lucide-preact'
import { useEffect, useRef } from 'preact/hooks'
import { t } from '../client/language.ts'
import { notify } from '../client/notices.ts'
import { api } from '../client/typed.ts'
import { Button } from '../ui/parts.tsx'
import type { ChatSession } from './chat-session.ts'
import { type Recording, record, toDataUrl } from './recorder.ts'
import { canTranscribe } from './speech.ts'

const MAX_SECONDS = 600
const SECOND_MS = 1000

type State = 'idle' | 'asking' | 'recording' | 'transcribing'

interface DictationProps {
  readonly chat: ChatSession
  /** Gets what was said. */
  onText(text: string): void
  /** Called when the button that had the focus is gone. */
  onEnd(): void
}

/** Leaving the conversation cancels, as Escape does. */
export function Dictation({ chat, onText, onEnd }: DictationProps) {
  const state = useSignal<State>('idle')
  const seconds = useSignal(0)
  const recording = useRef<Recording | undefined>(undefined)
  const end = useRef<AbortController | undefined>(undefined)
  const cancel = () => {
    end.current?.abort()
    end.current = undefined
    state.value = 'idle'
  }
  useEffect(() => cancel, [chat])
  const controls = useRef<HTMLSpanElement>(null)
  useEffect(() => {
    // The button that was pressed is replaced by others, and they by it.
    const { activeElement: focused, body } = document
    if (focused !== body && !controls.current?.contains(focused)) return
    if (state.value === 'idle') onEnd()
    else controls.current?.querySelector('button')?.focus()
  }, [state.value])
  useEffect(() => {
    if (state.value === 'idle') return undefined
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== 'Escape') return
      // Escape would also stop the turn.
      event.preventDefault()
      event.stopPropagation()
      cancel()
    }
    document.addEventListener('keydown', onKey, true)
    return () => document.removeEventListener('keydown', onKey, true)
  }, [state.value === 'idle'])
  useEffect(() => {
    if (state.value !== 'recording') return undefined
    const began = Date.now()
    const timer = setInterval(() => {
      seconds.value = Math.floor((Date.now() - began) / SECOND_MS)
      if (seconds.value >= MAX_SECONDS) recording.current?.stop()
    }, SECOND_MS / 4)
    return () => clearInterval(timer)
  }, [state.value])

  const dictate = async () => {
    const controller = new AbortController()
    end.current = controller
    const { signal } = controller
    seconds.value = 0
    state.value = 'asking'
    try {
      recording.current = await record(signal)
      state.value = 'recording'
      const sound = await recording.current.done
      signal.throwIfAborted()
      state.value = 'transcribing'
      const body = { data_url: await toDataUrl(sound), mime_type: sound.type }
      const { transcript } = await api.post('/api/audio/transcribe', body, {}, signal)
      signal.throwIfAborted()
      if (transcript === '') notify(t('No words were understood. Speak closer to the microphone.'), 'warning')
      else onText(transcript)
    } catch (error) {
      if (!signal.aborted) notify((error as Error).message, 'error')
    }
    if (end.current === controller) cancel()
  }
  if (!canTranscribe.value) return null
  if (state.value === 'idle')
    return <Button icon={Mic} kind="quiet" label={t('Dictate')} onClick={() => void dictate()} />
  return (
    <span ref={controls} class="dictation">
      {state.value === 'recording' && (
        <>
          <span class="recording-dot" aria-hidden="true" />
          <span aria-hidden="true">{formatSeconds(seconds.value)}</span>
        </>
      )}
      <span role="status">
        {state.value === 'asking' && t('Waiting for the microphone…')}
        {state.value === 'recording' && t('Recording')}
        {state.value === 'transcribing' && t('Transcribing…')}
      </span>
      {state.value === 'recording' && (
        <Button icon={Check} kind="quiet" label={t('Insert as text')} onClick={() => recording.current?.stop()} />
      )}
      <Button icon={X} kind="quiet" label={t('Cancel dictation')} onClick={cancel} />
    </span>
  )
}

function formatSeconds(all: number): string {
  return `${Math.floor(all / 60)}:${String(all % 60).padStart(2, '0')}`
}
