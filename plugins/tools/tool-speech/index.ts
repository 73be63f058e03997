/** Wires the tools that speak and listen, and their backends. */
import { join } from 'node:path'
import { Clock, definePlugin, Random, Secrets, Tools } from 'svc/sdk'
import { DashboardRoutes } from 'svc/sdk/dashboard'
import { MediaFiles, SpeechBackends, SpeechSynthesis, Transcription } from 'svc/sdk/media'
import { SetupSections, ToolsetChoices } from 'svc/sdk/operations'
import { Budgets, GuardedFiles, ReadableFolders } from 'svc/sdk/safety'
import { createApiClient } from 'svc/sdk/web'
import { config } from './config.ts'
import { hostedBackends, voicesOfElevenLabs } from './hosted.ts'
import { programBackends } from './programs.ts'
import { audioRoutes } from './routes.ts'
import { createVoiceSection } from './setup-section.ts'
import { synthesis } from './synthesis.ts'
import { speechTools } from './tools.ts'
import { toolsetChoices } from './toolset-choices.ts'
import { transcription } from './transcription.ts'

export default definePlugin({
  config,
  setup(ctx) {
    const variable = (name: string) => ctx.use(Secrets).get(name)
    const shared = { config: ctx.config, variable, random: () => ctx.use(Random) }
    const service = (about: { readonly who: string; readonly keyName?: string }) =>
      createApiClient(ctx, { ...about, code: 'SPEECH_FAILED' })
    const programs = {
      ...shared,
      folder: join(ctx.dataDir, 'work'),
      clock: () => ctx.use(Clock),
      mask: (text: string) => ctx.use(Secrets).mask(text),
    }
    for (const backend of [...hostedBackends({ ...shared, service }), ...programBackends(programs)])
      ctx.add(SpeechBackends, backend)
    ctx.add(SetupSections, createVoiceSection(ctx))
    const folder = join(ctx.dataDir, 'spoken')
    ctx.add(ReadableFolders, { name: ctx.name, path: folder })
    const host = {
      config: ctx.config,
      folder,
      unloaded: ctx.signal,
      backends: () => ctx.all(SpeechBackends).all(),
      budgets: () => ctx.find(Budgets),
      media: () => ctx.use(MediaFiles),
      files: () => ctx.use(GuardedFiles),
    }
    for (const tool of speechTools(host)) ctx.add(Tools, tool)
    for (const choice of toolsetChoices(ctx)) ctx.add(ToolsetChoices, choice)
    for (const route of audioRoutes(host, voicesOfElevenLabs({ ...shared, service }))) ctx.add(DashboardRoutes, route)
    ctx.provide(Transcription, () => transcription(host))
    ctx.provide(SpeechSynthesis, () => synthesis(host))
  },
})
