/** Starts the page. */
import './styles/index.css'
import { render } from 'preact'
import { rpc } from './client/rpc.ts'
import { Shell } from './shell/shell.tsx'
import './client/look.ts'

const root = document.getElementById('app')
if (root) render(<Shell />, root)
rpc.start()
