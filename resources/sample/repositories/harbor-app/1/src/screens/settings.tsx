export function Settings() {
  return (
    <Screen title={words.settings}>
      <Row style={{ paddingLeft: 16 }} icon="bell" label={words.notifications} />
      <Row style={{ paddingLeft: 16 }} icon="anchor" label={words.homePort} />
    </Screen>
  )
}
