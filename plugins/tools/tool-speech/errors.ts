/** Error codes of the tools that speak and listen. */
import type { ErrorMessages } from 'svc/sdk'

export default {
  SPEECH_FAILED: 'The service or program that speaks or listens refused, failed or could not be asked. See the reason.',
  SPEECH_NO_BACKEND:
    'No backend is configured for it. Set the key of a service, or install espeak-ng, piper or whisper.',
  SPEECH_RECORDING: 'What was sent is no recording, or it is larger than the backend takes. The message says which.',
  SPEECH_TOO_LONG: 'The text is longer than speech.max_characters. Speak a part of it, or raise that limit.',
  SPEECH_FORMAT: 'The backend cannot store speech that way. Give the file another ending, or choose another backend.',
  SPEECH_FILE_EXISTS: 'A file of that name is there already and is not replaced. Choose another name.',
  SPEECH_NOT_SAVED: 'The speech could not be written. See the reason: the disk may be full, the folder not writable.',
  SPEECH_COMMAND:
    'The command in config.yaml cannot be read as a command. Mend speech.tts_command or speech.stt_command.',
} satisfies ErrorMessages
