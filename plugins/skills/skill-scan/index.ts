/** Wires the scan of skills. The rules are loaded when the first skill is scanned. */
import { definePlugin } from 'svc/sdk'
import { SkillScanner } from 'svc/sdk/skills'

export default definePlugin({
  setup(ctx) {
    ctx.provide(SkillScanner, () => ({
      scan: async (folder, { signal } = {}) => (await import('./scan.ts')).scanFolder(folder, signal),
    }))
  },
})
