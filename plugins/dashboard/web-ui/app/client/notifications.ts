/** Notifications of the system about open chats, while the page is not looked at. Off until the user switches them on. */
import { stored } from './api.ts'
import { t } from './language.ts'
import { type RpcEvent, rpc } from './rpc.ts'

const MAX_TEXT = 180

export const wantsNotifications = stored('notifications', false)

export const canNotify: boolean = 'Notification' in globalThis

/** Asks the browser, which asks the user. Resolves with whether it is allowed. */
export async function switchNotifications(isOn: boolean): Promise<boolean> {
  wantsNotifications.value = isOn && canNotify && (await Notification.requestPermission()) === 'granted'
  return wantsNotifications.value === isOn
}

export function followEvents(): () => void {
  return rpc.onEvent((event) => {
    const isSeen = document.visibilityState === 'visible' && document.hasFocus()
    if (isSeen || !wantsNotifications.value || !canNotify || Notification.permission !== 'granted') return
    const told = describe(event)
    if (!told) return
    // One for each chat: a later one takes the place of an earlier one.
    const notice = new Notification(told.title, { body: told.body.slice(0, MAX_TEXT), tag: event.session_id })
    notice.onclick = () => {
      focus()
      notice.close()
    }
  })
}

function describe({ type, payload }: RpcEvent): { readonly title: string; readonly body: string } | undefined {
  const text = (name: string) => (typeof payload[name] === 'string' ? (payload[name] as string) : '')
  if (type === 'approval.request') return { title: t('svc asks for an approval'), body: text('command') }
  if (type === 'clarify.request') return { title: t('svc asks'), body: text('question') }
  if (type === 'secret.request') return { title: t('svc asks'), body: text('prompt') }
  if (type !== 'message.complete' || payload['status'] === 'interrupted') return undefined
  if (payload['status'] !== 'error') return { title: t('The answer is there'), body: text('text') }
  const { message = '' } = (payload['error'] ?? {}) as { readonly message?: string }
  return { title: t('The turn failed'), body: message }
}
