/** Pages and views of plugins, as they come and go. */
import { computed, signal } from '@preact/signals'
import { rpc } from './rpc.ts'
import { type AnswerOf, call } from './typed.ts'

type PageList = AnswerOf<'pages.watch'>
export type PluginPage = PageList['pages'][number]
export type PluginSlot = PageList['slots'][number]

const listed = signal<PageList | undefined>(undefined)
/** Counts connections: what was shown before may have changed. */
export const connections = signal(0)

export const pluginPages = computed(() => listed.value?.pages ?? [])
export const pluginSlots = computed(() => listed.value?.slots ?? [])
/** False until the server has told what there is. */
export const arePagesKnown = computed(() => listed.value !== undefined)

rpc.onOpen(() => {
  connections.value++
  call('pages.watch').then(
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
