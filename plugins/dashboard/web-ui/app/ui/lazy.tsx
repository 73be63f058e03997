/** Components that are loaded when they are first shown, and whose failures stay in their place. */
import { Component, type ComponentChildren, type ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { t } from '../client/language.ts'
import { Failed, Loading } from './parts.tsx'

export function lazy<Props extends object>(load: () => Promise<ComponentType<Props>>): ComponentType<Props> {
  let loaded: ComponentType<Props> | undefined
  return function Lazy(props: Props) {
    const [, setState] = useState(0)
    const [error, setError] = useState<Error>()
    useEffect(() => {
      if (loaded || error) return
      load()
        .then((component) => {
          loaded = component
          setState(1)
        })
        .catch(setError)
    }, [error])
    if (error)
      return <Failed error={new Error(t('This part could not be loaded.'))} retry={() => setError(undefined)} />
    if (!loaded) return <Loading />
    const Loaded = loaded
    return <Loaded {...props} />
  }
}

/** A part that breaks is shown as a card; the rest of the page goes on. `owner` names the plugin whose part it is. */
export class Guarded extends Component<{ owner?: string; children: ComponentChildren }, { error?: Error }> {
  override state: { error?: Error } = {}

  override componentDidCatch(error: Error): void {
    this.setState({ error })
  }

  override render() {
    const { error } = this.state
    if (!error) return this.props.children
    const { owner } = this.props
    const said = owner
      ? t('The plugin {name} failed here: {message}', { name: owner, message: error.message })
      : error.message
    return <Failed error={new Error(said)} retry={() => this.setState({})} />
  }
}
