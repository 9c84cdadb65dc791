import { Check, Copy } from 'lucide-react'
import { useEffect, useState, type ReactNode } from 'react'
import { treeline } from '../bridge.ts'
import { say } from '../state/toasts.ts'

/** How long the button says that it has copied. */
const SAID = 1600

/** Code as it was written, with a way to copy it. */
export function CodeBlock({ text, children }: { readonly text: string; readonly children: ReactNode }) {
  const [copied, setCopied] = useState(false)
  useEffect(() => {
    if (!copied) return undefined
    const timer = setTimeout(() => {
      setCopied(false)
    }, SAID)
    return () => {
      clearTimeout(timer)
    }
  }, [copied])
  const copy = async (): Promise<void> => {
    const answer = await treeline.navigator.copy_text(text)
    if (answer.ok) setCopied(true)
    else say('failed', answer.error.message)
  }
  return (
    <div className="code-block">
      <pre tabIndex={0}>{children}</pre>
      <button
        type="button"
        className="icon-button code-copy"
        aria-label={copied ? 'Copied' : 'Copy code'}
        title={copied ? 'Copied' : 'Copy code'}
        onClick={() => void copy()}
      >
        {copied ? <Check size={14} /> : <Copy size={14} />}
      </button>
    </div>
  )
}
