/** Pages and views of plugins, as they come and go. */
import { computed, signal } from '@preact/signals'
import { rpc } from './rpc.ts'

export interface PluginPage {
  readonly name: string
  readonly title: string
  readonly plugin: string
  readonly group: 'work' | 'setup' | 'insight'
  /** Left out: a view as data. */
  readonly frame?: {
    readonly address: string
    readonly version: string
    readonly routes: readonly string[]
    readonly methods: readonly string[]
  }
}

export interface PluginSlot {
  readonly name: string
  readonly title: string
  readonly plugin: string
  readonly place: string
}

interface PageList {
  readonly pages: readonly PluginPage[]
  readonly slots: readonly PluginSlot[]
}

const listed = signal<PageList | undefined>(undefined)
/** Counts connections: what was shown before may have changed. */
export const connections = signal(0)

export const pluginPages = computed(() => listed.value?.pages ?? [])
export const pluginSlots = computed(() => listed.value?.slots ?? [])
/** False until the server has told what there is. */
export const arePagesKnown = computed(() => listed.value !== undefined)

rpc.onOpen(() => {
  connections.value++
  rpc.call<PageList>('pages.watch').then(
    (list) => {
      listed.value = list
    },
    // The next connect asks again; a server without pages has none.
    () => {
      listed.value ??= { pages: [], slots: [] }
    },
  )
})
rpc.onEvent(({ type, payload }) => {
  if (type === 'pages.changed') listed.value = payload as unknown as PageList
})
