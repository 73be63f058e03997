/** Why a form was not saved, above its buttons. What was typed stays. */
import type { ComponentChildren } from 'preact'
import { t } from '../client/language.ts'
import { Card } from './parts.tsx'

export interface RefusalProps {
  /** In the words of the server. */
  readonly text: string
  /** What can be done about it. */
  readonly children?: ComponentChildren
}

export function Refusal({ text, children }: RefusalProps) {
  return (
    <Card tone="warning" title={t('It was not saved')}>
      <p role="alert">{text}</p>
      {children}
    </Card>
  )
}
