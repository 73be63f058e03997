/** Offers the platform Matrix. */
import { join } from 'node:path'
import { Clock, definePlugin, Net, Random, Secrets } from 'svc/sdk'
import { BackupRules } from 'svc/sdk/operations'
import { Platforms, StandIns } from 'svc/sdk/platform'
import { config } from './config.ts'
import { MatrixPlatform } from './platform.ts'

const isTrue = (value: string | undefined): boolean => /^(1|true|yes|on)$/i.test(value ?? '')

export default definePlugin({
  config,
  setup(ctx) {
    const secrets = () => ctx.use(Secrets)
    const listed = () => (secrets().get('MATRIX_ALLOWED_USERS') ?? '').split(',').map((each) => each.trim())
    const platform = new MatrixPlatform({
      config: ctx.config,
      log: ctx.log,
      clock: () => ctx.use(Clock),
      random: () => ctx.use(Random),
      net: () => ctx.use(Net),
      secrets,
      homeserver: () => (ctx.config.homeserver || secrets().get('MATRIX_HOMESERVER') || '').trim().replace(/\/+$/, ''),
      credentials: () => ({
        token: secrets().get('MATRIX_ACCESS_TOKEN')?.trim(),
        userId: secrets().get('MATRIX_USER_ID')?.trim(),
        password: secrets().get('MATRIX_PASSWORD'),
        deviceId: secrets().get('MATRIX_DEVICE_ID')?.trim(),
        recoveryKey: secrets().get('MATRIX_RECOVERY_KEY'),
      }),
      keysFolder: join(ctx.dataDir, 'keys'),
      mayInvite: (userId) =>
        ctx.config.allow_all ||
        isTrue(secrets().get('MATRIX_ALLOW_ALL_USERS')) ||
        [...ctx.config.allow_from, ...listed()].some((each) => each === userId || each === '*'),
    })
    ctx.add(Platforms, platform)
    // Older keys than those in use would be used twice; after a restore svc logs in as a new device.
    ctx.add(BackupRules, {
      name: 'matrix-keys',
      title: 'Keys of Matrix devices',
      order: 10,
      isExcluded: true,
      covers: (path) => path.includes('data/platform-matrix/keys/'),
    })
    ctx.add(StandIns, { name: 'matrix', open: async () => (await import('./stand-in/service.ts')).openStandIn() })
  },
})
