/** Checks and repairs of the installation: what the shell commands do, followed here. */
import { useSignal } from '@preact/signals'
import { Stethoscope, Wrench } from 'lucide-preact'
import { t } from '../client/language.ts'
import { api } from '../client/typed.ts'
import { Button, Card, Confirm } from '../ui/parts.tsx'
import { Progress, useAction } from './followed.tsx'

export function MaintenanceCard() {
  const { action, isBusy, begin } = useAction()
  const isAsking = useSignal(false)
  const shown = [
    { label: t('Security audit'), run: () => api.post('/api/ops/security-audit', {}) },
    { label: t('Size of the prompt'), run: () => api.post('/api/ops/prompt-size', {}) },
    { label: t('Report of the state'), run: () => api.post('/api/ops/dump', {}) },
    { label: t('Migrate the settings'), run: () => api.post('/api/ops/config-migrate', {}) },
  ]
  return (
    <Card
      title={t('Maintenance')}
      actions={
        <>
          <Button
            icon={Stethoscope}
            kind="primary"
            disabled={isBusy}
            onClick={() => begin(() => api.post('/api/ops/doctor', {}))}
          >
            {t('Check')}
          </Button>
          <Button icon={Wrench} disabled={isBusy} onClick={() => (isAsking.value = true)}>
            {t('Repair')}
          </Button>
        </>
      }
    >
      <p class="actions">
        {shown.map(({ label, run }) => (
          <Button key={label} kind="quiet" disabled={isBusy} onClick={() => begin(run)}>
            {label}
          </Button>
        ))}
      </p>
      {action && <Progress action={action} label={t('Result: {name}', { name: t('Maintenance') })} />}
      {isAsking.value && (
        <Confirm
          title={t('Repair the installation')}
          text={t('What needs no decision is repaired. What is changed is kept, and can be taken back.')}
          action={t('Repair')}
          onConfirm={() => begin(() => api.post('/api/ops/doctor', { fix: true }))}
          onClose={() => (isAsking.value = false)}
        />
      )}
    </Card>
  )
}
