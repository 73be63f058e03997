/** A recording of the microphone, which is released when the recording ends, whatever ended it. */
import { t } from '../client/language.ts'

/** Speech stays understandable, and ten minutes are far below the 25 MB that the server takes. */
const BITS_PER_SECOND = 32_000

export interface Recording {
  /** Resolves with what was recorded when it was stopped, also by the system. Rejects when the recorder fails. */
  readonly done: Promise<Blob>
  stop(): void
}

/** Asks for the microphone and records until `signal` aborts or it is stopped. Rejects with a sentence for the user. */
export async function record(signal: AbortSignal): Promise<Recording> {
  if (!navigator.mediaDevices?.getUserMedia || typeof MediaRecorder === 'undefined')
    throw new Error(t('This browser gives a page the microphone over HTTPS or on the same machine only.'))
  const stream = await navigator.mediaDevices.getUserMedia({ audio: true }).catch((error: DOMException) => {
    throw new Error(explain(error))
  })
  const release = () => {
    for (const track of stream.getTracks()) track.stop()
  }
  try {
    // It may have been cancelled while the browser asked.
    signal.throwIfAborted()
    const recorder = new MediaRecorder(stream, { audioBitsPerSecond: BITS_PER_SECOND })
    const stop = () => recorder.state !== 'inactive' && recorder.stop()
    const pieces: Blob[] = []
    const done = new Promise<Blob>((resolve, reject) => {
      recorder.ondataavailable = ({ data }) => void pieces.push(data)
      recorder.onstop = () => resolve(new Blob(pieces, { type: recorder.mimeType }))
      recorder.onerror = () => reject(new Error(t('The recording failed. Try again.')))
    }).finally(release)
    signal.addEventListener('abort', stop)
    recorder.start()
    return { done, stop }
  } catch (error) {
    release()
    throw error
  }
}

function explain({ name, message }: DOMException): string {
  if (name === 'NotAllowedError')
    return t('The browser does not give this page the microphone. Allow it in the settings of the page and try again.')
  if (name === 'NotFoundError') return t('No microphone was found. Connect one and try again.')
  if (name === 'NotReadableError') return t('Another program uses the microphone. End it there and try again.')
  return message
}

/** The recording as a `data:` URL. */
export function toDataUrl(recording: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.onload = () => resolve(String(reader.result))
    reader.onerror = () => reject(reader.error)
    reader.readAsDataURL(recording)
  })
}
