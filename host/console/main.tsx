import './style/variables.css'
import './style/base.css'
import './style/layout.css'
import './style/parts.css'
import { render } from 'preact'
import { App } from './app/app.tsx'
import { unturnTexts } from './app/unturned.ts'

unturnTexts()
render(<App />, document.getElementById('app') as HTMLElement)
