import { describe, expect, it } from 'vitest'
import { isOwnAddress, linkToOpen } from './links.ts'

describe('which addresses are our own', () => {
  it.each(['app://bundle/', 'app://bundle/index.html', 'app://bundle/assets/x.js?y#z'])('%s is', (address) => {
    expect(isOwnAddress(address)).toBe(true)
  })

  it.each([
    'app://other/index.html',
    'app://bundle.evil/',
    'app://bundle:1/',
    'app://me@bundle/',
    'apps://bundle/',
    'https://bundle/',
    'file:///etc/passwd',
    'about:blank',
    'data:text/html,x',
    'app:bundle/',
    'null',
    '',
  ])('%s is not', (address) => {
    expect(isOwnAddress(address)).toBe(false)
  })
})

describe('which links go to the browser', () => {
  it.each([
    ['https://example.org/a b?q=ü', 'https://example.org/a%20b?q=%C3%BC'],
    ['http://localhost:3000/', 'http://localhost:3000/'],
    ['HTTPS://EXAMPLE.org', 'https://example.org/'],
  ])('%s does', (address, opened) => {
    expect(linkToOpen(address)).toEqual({ ok: true, value: opened })
  })

  it.each([
    'file:///etc/passwd',
    'javascript:alert(1)',
    ' javascript:alert(1)',
    'java\nscript:alert(1)',
    'smb://host/share',
    'ms-msdt:/id PCWDiagnostic',
    'vscode://file/etc/passwd',
    'app://bundle/',
    'data:text/html,x',
    'mailto:a@example.org',
    'https://bank.example@evil.example/',
    '//example.org',
    '/etc/passwd',
    'https://',
    '',
  ])('%j does not', (address) => {
    expect(linkToOpen(address)).toMatchObject({ ok: false, error: { code: 'invalid_request' } })
  })
})
