internal import ThrongPlan

extension ReleaseFrame {
    /// The devices that proved to be in cells in the release's own period, none where none did; nil where its numbers of devices are
    /// others.
    func proved(in header: ReleaseHeader) -> ProvedSpan? {
        guard header.provesFirsts else { return nil }
        return proved.first { $0.period == header.period }
            ?? ProvedSpan(ProvedDevices(period: header.period, rows: []), span: parts.indices, of: [], layout)
    }
}
