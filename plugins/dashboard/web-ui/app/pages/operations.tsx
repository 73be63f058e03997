/** The gateway as a process, and whether there is a newer version. */

import { t } from '../client/language.ts'
import { GatewayCard } from '../operations/gateway-card.tsx'
import { UpdateCard } from '../operations/update-card.tsx'
import { Page } from '../ui/parts.tsx'

export function OperationsPage() {
  return (
    <Page title={t('Operations')}>
      <GatewayCard />
      <UpdateCard />
    </Page>
  )
}
