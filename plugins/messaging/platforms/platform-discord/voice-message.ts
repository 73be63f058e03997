/**
 * Voice messages (discord.com/developers/docs/resources/message, "Voice Messages"): Opus in Ogg, alone, with its length and a
 * picture of it.
 */
import { drawWaveform, measureSound } from 'svc/sdk/kit/files'
import type { OutboundFile, OutboundMessage } from 'svc/sdk/platform'
import { getProblemCode } from './api.ts'

/** .../resources/message, "Message Flags" */
export const IS_VOICE_MESSAGE = 1 << 13
/** A point for each tenth of a second, 256 at most. */
const WAVEFORM = { stepMs: 100, maxPoints: 256 }

/** What an attachment tells of itself. */
export interface VoiceFacts {
  readonly duration_secs: number
  readonly waveform: string
}

/** Undefined for what can only be a file among others. */
export async function describeVoice({
  text,
  buttons = [],
  files = [],
}: Pick<OutboundMessage, 'text' | 'buttons' | 'files'>): Promise<VoiceFacts | undefined> {
  const [file, ...others] = files
  if (!file?.isVoice || others.length > 0 || text.trim() !== '' || buttons.length > 0) return undefined
  return describeSound(await file.bytes())
}

function describeSound(bytes: Uint8Array): VoiceFacts | undefined {
  const waveform = drawWaveform(bytes, WAVEFORM)
  const length = measureSound(bytes)
  if (!waveform || !length) return undefined
  return { duration_secs: length.ms / 1000, waveform: Buffer.from(waveform).toString('base64') }
}

/** As the apps of Discord name and upload one. */
export function toVoiceFile(file: OutboundFile): OutboundFile {
  return { ...file, name: 'voice-message.ogg', mediaType: 'audio/ogg' }
}

/**
 * Other content, no single sound, no supporting metadata; not allowed in this channel; no valid length
 * (.../topics/opcodes-and-status-codes, "JSON Error Codes").
 */
const NO_VOICE = [50159, 50160, 50161, 50173, 50192]

/** Whether Discord refused only that it is a voice message. */
export function isOnlyVoiceRefused(error: unknown): boolean {
  const code = getProblemCode(error)
  return code !== undefined && NO_VOICE.includes(code)
}
