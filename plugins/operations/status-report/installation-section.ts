/** What is installed, and where its data is. */
import { Config, Home, type PluginContext } from 'svc/sdk'
import { Plugins } from 'svc/sdk/host'
import type { StatusLine, StatusSection } from 'svc/sdk/operations'

export function createInstallationSection(ctx: PluginContext<undefined>): StatusSection {
  return {
    name: 'installation',
    title: 'Installation',
    order: 10,
    async read() {
      const { profile = 'default', dir } = ctx.use(Home)
      return [
        // The plugins that come with svc have its version.
        { label: 'Version', text: `svc ${ctx.use(Plugins).info(ctx.name)?.manifest.version}, Node ${process.version}` },
        { label: 'Home', text: profile === 'default' ? dir : `${dir} (profile ${profile})` },
        describeConfig(ctx.use(Config)),
        ...describePlugins(ctx.use(Plugins)),
      ]
    },
  }
}

function describeConfig(config: Config): StatusLine {
  const problems = config.problems()
  const errors = problems.filter(({ severity }) => severity === 'error').length
  if (problems.length === 0) return { label: 'Config', text: config.file, state: 'ok' }
  const text = `${config.file}, errors: ${errors}, warnings: ${problems.length - errors}`
  return { label: 'Config', text, state: errors > 0 ? 'problem' : 'warning', fix: 'svc config check' }
}

/** Only plugins that did not start are worth a line. */
function describePlugins(plugins: Plugins): readonly StatusLine[] {
  const wrong = plugins.list().filter(({ status }) => status === 'failed' || status === 'suspended')
  if (wrong.length === 0) return []
  const text = `not running: ${wrong.map(({ manifest }) => manifest.name).join(', ')}`
  return [{ label: 'Plugins', text, state: 'problem', fix: 'svc doctor' }]
}
