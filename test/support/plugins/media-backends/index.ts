/** Draws a picture of one pixel and speaks silence. */
import { definePlugin } from 'svc/sdk'
import { ImageGenerators, SpeechBackends } from 'svc/sdk/media'
import { ToolsetChoices } from 'svc/sdk/operations'

/** A GIF of one transparent pixel. */
const PIXEL = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64')
/** A WAV file without samples: 8 kHz, mono, 8 bits (http://soundfile.sapp.org/doc/WaveFormat/). */
const SILENCE = Buffer.from('UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=', 'base64')

export default definePlugin({
  setup(ctx) {
    ctx.add(ImageGenerators, {
      name: 'pixel',
      label: 'One pixel',
      edits: false,
      missing: () => undefined,
      make: async () => ({ bytes: PIXEL, usage: {} }),
    })
    ctx.add(ToolsetChoices, {
      ...{ name: 'pixels', setting: 'pixels.backend' },
      backends: () => [{ name: 'pixel', label: 'One pixel', missing: undefined, plugin: ctx.name }],
    })
    ctx.add(SpeechBackends, {
      name: 'silence',
      label: 'Silence',
      missing: (job) => (job === 'speak' ? undefined : 'cannot transcribe'),
      voice: { maxCharacters: 1000, formats: ['wav'], speak: async () => SILENCE },
    })
  },
})
