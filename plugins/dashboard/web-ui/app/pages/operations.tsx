/** The gateway as a process, updates, and work on the installation. */

import { t } from '../client/language.ts'
import { BackupsCard } from '../operations/backups-card.tsx'
import { CheckpointsCard } from '../operations/checkpoints-card.tsx'
import { CuratorCard } from '../operations/curator-card.tsx'
import { DebugCard } from '../operations/debug-card.tsx'
import { GatewayCard } from '../operations/gateway-card.tsx'
import { HooksCard } from '../operations/hooks-card.tsx'
import { ImportCard } from '../operations/import-card.tsx'
import { MaintenanceCard } from '../operations/maintenance-card.tsx'
import { UpdateCard } from '../operations/update-card.tsx'
import { Page } from '../ui/parts.tsx'

export function OperationsPage() {
  return (
    <Page title={t('Operations')}>
      <GatewayCard />
      <UpdateCard />
      <MaintenanceCard />
      <BackupsCard />
      <ImportCard />
      <DebugCard />
      <CheckpointsCard />
      <CuratorCard />
      <HooksCard />
    </Page>
  )
}
