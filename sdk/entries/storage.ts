/** For plugins with a database of their own, caches, state and jobs. */
export { type BatchLimits, BatchSize, type Prunable, RowPruner } from '../batches.ts'
export { type Cache, type CacheOptions, Caches } from '../caches.ts'
export { type FileWatch, FileWatcher, type WatchedChange, type WatchReport } from '../file-watcher.ts'
export type { ConfigMigrationStep, JobOptions, ProcessRole, RepeatedJob } from '../plugin.ts'
export type {
  PluginSessionState,
  PluginSessionStateOptions,
  PluginState,
  StateOptions,
  StateSchema,
} from '../state.ts'
export {
  type Database,
  type DatabaseOptions,
  type HeldTransaction,
  ManagedDatabase,
  type PreparedStatement,
  type SqlValue,
  Storage,
} from '../storage.ts'
