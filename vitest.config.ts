import { defineConfig } from 'vitest/config'

export default defineConfig({
  ssr: { resolve: { conditions: ['svc-source'] } },
  resolve: { conditions: ['svc-source'] },
  test: { include: ['test/**/*.test.ts'], testTimeout: 20_000, hookTimeout: 20_000, maxWorkers: 2 },
})
