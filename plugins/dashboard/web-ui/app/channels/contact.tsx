/** Where people reach the agent on a platform, for a phone to scan. */
import { t } from '../client/language.ts'
import { Dialog } from '../ui/parts.tsx'
import { QrCode } from '../ui/qr-code.tsx'

export function ContactDialog({ name, contact, onClose }: { name: string; contact: string; onClose: () => void }) {
  return (
    <Dialog title={t('Reach {name} from a phone', { name })} onClose={onClose}>
      <Contact name={name} contact={contact} />
    </Dialog>
  )
}

export function Contact({ name, contact }: { name: string; contact: string }) {
  return (
    <>
      <QrCode address={contact} title={name} />
      <p class="dim">
        {t('Scan it and write to the agent. A person whom it does not know is shown a code: enter it under Pairing.')}
      </p>
    </>
  )
}
