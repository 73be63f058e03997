/** `svc/sdk/kit/state`: values with a schema and a version, in files that processes share and in sessions; maps in memory with a bound. */

export { diffConfigPaths } from '../../config.ts'
export { setBounded } from './bounded-map.ts'
export { createSessionState } from './session-value.ts'
export { type MigratedSettings, migrateSettings, SETTINGS_VERSION } from './settings.ts'
export { StateFile, type StateFileOptions } from './state-file.ts'
