/** Why a plugin does not run, as data. For programs; `PluginInfo.reason` is the same as a sentence. */

/** The cause. A plugin that failed is not left out: its `PluginInfo.status` is `failed`. @since 0.1 */
export type LeftOut =
  /** `plugins.enabled` has to name the plugin and does not. */
  | { readonly code: 'not-enabled' }
  /** `plugins.disabled` names it. */
  | { readonly code: 'disabled' }
  /** A person has to agree to its code, for the first time or again. */
  | { readonly code: 'consent' }
  /** `owner` has something that only one plugin may have: the key of the claim, as in `listClaims`. */
  | { readonly code: 'conflict'; readonly owner: string; readonly claim: string }
  /**
   * It requires a service that is not available. `plugin` is the one at the end of the chain that would have to run, and
   * `cause` is why that one does not; both are missing when no plugin provides the service, `cause` when `plugin` failed.
   */
  | { readonly code: 'requires'; readonly service: string; readonly plugin?: string; readonly cause?: LeftOut }
  /** It requires itself through these plugins; the first and the last are the same. */
  | { readonly code: 'cycle'; readonly path: readonly string[] }
  /** It is loaded in processes of these roles only: `in` of its manifest. */
  | { readonly code: 'role'; readonly in: readonly string[] }
  /** Its folder or its `plugin.json` cannot be used, or it was written for another SDK. */
  | { readonly code: 'invalid' }
  /** No plugin has this name. */
  | { readonly code: 'unknown' }

/**
 * The plugin that `svc plugins enable` has to name so that `plugin` can run: itself, or the one that it waits for.
 * Undefined when switching on is not the remedy.
 * @since 0.2
 */
export function findPluginToEnable(plugin: string, leftOut: LeftOut | undefined): string | undefined {
  if (leftOut?.code === 'requires') return leftOut.plugin && findPluginToEnable(leftOut.plugin, leftOut.cause)
  const isSwitch = leftOut?.code === 'not-enabled' || leftOut?.code === 'disabled' || leftOut?.code === 'consent'
  return isSwitch ? plugin : undefined
}
