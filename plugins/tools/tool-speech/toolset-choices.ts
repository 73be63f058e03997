/** Who speaks and who listens, as choices of their toolsets. */
import type { PluginContext } from 'svc/sdk'
import { SpeechBackends } from 'svc/sdk/media'
import type { ToolsetChoice } from 'svc/sdk/operations'

export function toolsetChoices(ctx: Pick<PluginContext<unknown>, 'all'>): readonly ToolsetChoice[] {
  const backends = ctx.all(SpeechBackends)
  const choice = (name: string, setting: string, job: 'speak' | 'transcribe'): ToolsetChoice => ({
    ...{ name, setting },
    backends() {
      const able = backends.all().filter(({ voice, ear }) => (job === 'speak' ? voice : ear) !== undefined)
      return able.map((each) => {
        return { name: each.name, label: each.label, missing: each.missing(job), plugin: backends.owner(each.name) }
      })
    },
  })
  return [choice('tts', 'speech.tts_backend', 'speak'), choice('stt', 'speech.stt_backend', 'transcribe')]
}
