import { CircleCheck, CircleX, X } from 'lucide-react'
import { useEffect } from 'react'
import { dismiss, useToasts, type Toast } from '../state/toasts.ts'

/** Sentences at the window's edge. What went wrong stays until it is put away; the rest goes by itself. */
export function ToastStack() {
  const toasts = useToasts((state) => state.toasts)
  return (
    <div className="toasts">
      {toasts.map((toast) => (
        <ToastView key={toast.id} toast={toast} />
      ))}
    </div>
  )
}

const SHOWN_FOR = 5000

function ToastView({ toast }: { readonly toast: Toast }) {
  const { id, tone, message } = toast
  useEffect(() => {
    if (tone === 'failed') return undefined
    const timer = setTimeout(() => {
      dismiss(id)
    }, SHOWN_FOR)
    return () => {
      clearTimeout(timer)
    }
  }, [id, tone])
  const Icon = tone === 'failed' ? CircleX : CircleCheck
  return (
    <div className="toast" role={tone === 'failed' ? 'alert' : 'status'}>
      <Icon size={14} aria-hidden className={`toast-icon-${tone}`} />
      <p>{message}</p>
      <button
        type="button"
        className="icon-button"
        aria-label="Dismiss"
        onClick={() => {
          dismiss(id)
        }}
      >
        <X size={13} />
      </button>
    </div>
  )
}
