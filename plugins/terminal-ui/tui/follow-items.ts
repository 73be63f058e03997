/** Draws again when a widget or an item of the status bar says that it changed. */
import type { Dispose, ExtensionPoint, PluginContext } from 'svc/sdk'

interface ChangingItem {
  onChange?(changed: () => void): Dispose
}

/** Follows the items there are now and those that come later. */
export function followItems<T extends ChangingItem>(
  ctx: PluginContext<undefined>,
  point: ExtensionPoint<T>,
  changed: () => void,
): Dispose {
  const all = ctx.all(point)
  const followed = new Map<T, Dispose | undefined>()
  const isDispose = (value: unknown) => typeof value === 'function'
  const drop = (item: T, dispose: Dispose | undefined) => {
    followed.delete(item)
    if (dispose) all.attempt(item, () => void dispose())
  }
  const follow = () => {
    const items = all.all()
    for (const [item, dispose] of [...followed]) if (!items.includes(item)) drop(item, dispose)
    for (const item of items)
      if (item.onChange && !followed.has(item))
        followed.set(
          item,
          all.attempt(item, () => item.onChange?.(changed), isDispose),
        )
    changed()
  }
  const stop = all.onChange(follow)
  follow()
  return () => {
    void stop()
    for (const [item, dispose] of [...followed]) drop(item, dispose)
  }
}
