/** Error codes of talking on the terminal. */
import type { ErrorMessages } from 'svc/sdk'

export default {
  VOICE_NO_RECORDER:
    'No program that records is installed. Install arecord, parec, sox or ffmpeg, or set voice.recorder.',
  VOICE_NO_PLAYER:
    'No program that plays sound is installed. Install mpv, ffplay, paplay or aplay, or set voice.player.',
  VOICE_RECORDER: 'The program that records failed. Look whether a microphone is connected, or set voice.recorder.',
  VOICE_PLAYER: 'The program that plays sound failed. Set voice.player to another one.',
  VOICE_FORMAT: 'The recorder writes another form of sound. It has to write one channel of 16 bits, raw or as WAV.',
} satisfies ErrorMessages
