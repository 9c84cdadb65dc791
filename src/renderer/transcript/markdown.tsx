import { memo } from 'react'
import ReactMarkdown, { type Components } from 'react-markdown'
import rehypeSanitize from 'rehype-sanitize'
import remarkGfm from 'remark-gfm'
import { CodeBlock } from './code-block.tsx'
import { OutsideLink } from './outside-link.tsx'

const COMPONENTS: Components = {
  a: ({ href, children }) => <OutsideLink address={href}>{children}</OutsideLink>,
  // Nothing is fetched from anywhere: an image is named, not shown.
  img: ({ src, alt }) => (
    <OutsideLink address={typeof src === 'string' ? src : undefined}>
      Image: {alt === '' ? 'no words' : alt}
    </OutsideLink>
  ),
  pre: ({ node, children }) => {
    const code = node?.children[0]
    const text =
      code?.type === 'element' ? code.children.map((child) => (child.type === 'text' ? child.value : '')).join('') : ''
    return <CodeBlock text={text.replace(/\n$/u, '')}>{children}</CodeBlock>
  },
  table: ({ children }) => (
    <div className="table-scroller">
      <table>{children}</table>
    </div>
  ),
}

/** Answers come in pieces; one that is still longer is a single paragraph, and shown as it was written. */
const LONGEST = 20_000

/** A model's words. Raw HTML stays text, scripts and addresses are cleaned, nothing is loaded from outside. */
export const Markdown = memo(({ text }: { readonly text: string }) =>
  text.length > LONGEST ? (
    <p className="plain-text">{text}</p>
  ) : (
    <ReactMarkdown remarkPlugins={[remarkGfm]} rehypePlugins={[rehypeSanitize]} components={COMPONENTS}>
      {text}
    </ReactMarkdown>
  ),
)
