/** A window with a form and the button that sends it. */
import type { ComponentChildren } from 'preact'
import { Button, Dialog } from './parts.tsx'

export interface FormDialogProps {
  readonly title: string
  /** Of the button. */
  readonly action: string
  readonly children: ComponentChildren
  onSubmit(): unknown
  onClose(): void
}

export function FormDialog({ title, action, children, onSubmit, onClose }: FormDialogProps) {
  const submit = (event: Event) => {
    event.preventDefault()
    onSubmit()
  }
  return (
    <Dialog title={title} onClose={onClose}>
      <form class="form" onSubmit={submit}>
        {children}
        <div class="actions end">
          <Button type="submit" kind="primary">
            {action}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
