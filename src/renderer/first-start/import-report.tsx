import { grouped } from '../ui/numbers.ts'
import { PlainDialog } from '../ui/plain-dialog.tsx'
import { closeReport, reportWords, useImport } from './import-store.ts'
import { shortId } from '../ui/title.ts'

/** What an import could not bring in, and why; the rest is in. */
export function ImportReportDialog() {
  const report = useImport((state) => state.report)
  if (!report) return null
  return (
    <PlainDialog
      open
      close={closeReport}
      title="Import finished"
      lead={reportWords(report)}
      note="Nothing was changed where they came from."
    >
      <Reasons title="Could not be read" rows={report.failed} />
      <Reasons title="Differ from the session already here" rows={report.diverged} />
    </PlainDialog>
  )
}

function Reasons(props: {
  readonly title: string
  readonly rows: readonly { readonly session: string; readonly message: string }[]
}) {
  if (props.rows.length === 0) return null
  return (
    <section>
      <h3 className="field-label">
        {props.title} · {grouped(props.rows.length)}
      </h3>
      <ul className="reasons">
        {props.rows.map(({ session, message }) => (
          <li key={session}>
            <span className="mono" title={session}>
              {shortId(session)}
            </span>
            <span className="selectable">{message}</span>
          </li>
        ))}
      </ul>
    </section>
  )
}
