internal import ThrongInsight
internal import ThrongPlan
internal import ThrongRelease

/// Names cells and says why they were withheld, in plain words.
struct WithholdingSentences {
    let release: Release
    let calendar: PeriodCalendar

    private var layout: MetricLayout { release.header.layout }

    /// `os = iOS, channel = Email`, or `total`.
    func name(_ margin: Margin, _ cell: CellIndex) -> String { layout.name(cell, in: margin) }

    private func name(_ address: CellAddress) -> String {
        let name = name(address.margin, address.cell)
        if address.period == release.header.period { return name }
        return "\(name) of the \(address.period.kind.rawValue) \(calendar.label(of: address.period))"
    }

    /// Why the cell at a place was withheld.
    func sentence(for reason: WithholdingReason, _ margin: Margin, _ cell: CellIndex) -> String {
        let threshold = release.header.threshold.devices
        let percent = (release.header.protection ?? .standard).percent
        switch reason {
        case .small(let floor):
            let devices = Wording.english.count(floor.devices, "device")
            return
                "It is small: \(devices) \(floor.devices == 1 ? "is" : "are") proved behind it, and k is \(threshold)."
        case .fewFirsts(let devices):
            return """
                Fewer than k devices say that they are in it (\(devices), and k is \(threshold)): with reach: client all \
                clients have to say which events are their firsts.
                """
        case .dominated:
            return """
                One or two devices make up nearly all of its events or of one of its sums, as far as is proved, so that \
                one of them, knowing its own part, could estimate another's to within \(percent) %; or a sum that tells \
                two kinds of events apart has one kind of fewer than \(threshold) proved devices.
                """
        case .reveals(let other):
            return "With it and more useful numbers, anyone could compute \(name(other)), which is withheld."
        case .bounds(let other?):
            return """
                With it and more useful numbers, anyone could prove that \(name(other)), which is withheld, lies in too \
                narrow a range.
                """
        case .bounds(nil):
            return "With it and more useful numbers, a withheld cell would lie in too narrow a range."
        case .leavesSmallRest(let parent)
        where parent == CellAddress(period: release.header.period, margin: margin, cell: cell):
            return """
                What is left of it after its published parts would be a group of fewer than \(threshold) proved devices, \
                which anyone could compute by subtraction.
                """
        case .leavesSmallRest(let parent):
            return """
                With it, what is left of \(name(parent)) after its published parts would be a group of fewer than \
                \(threshold) proved devices, which anyone could compute by subtraction.
                """
        case .relatesSingleDevices:
            return "It would relate single devices' cells; each knows its own part and could compute the rest."
        case .revealsDevices:
            return "Its number of devices would give away how few are behind a withheld cell."
        case .revealsTied:
            return """
                With it and what metrics that count the same events have published, a withheld cell of theirs or of this \
                metric could be worked out.
                """
        case .nearThreshold:
            return """
                It is near k: \(threshold) devices or more are proved behind it, and the number that was drawn for them is under k \
                and its margin. Another period may show it.
                """
        case .leftOut:
            return """
                Under a tenth of what this split counts is in cells of \(threshold) proved devices, so all of it is left \
                out: what little it would show costs other numbers. Coarser buckets or a longer period would show more. \
                Where the log says that the verification refused a choice of numbers, finer splits are left out, too.
                """
        case .coarsened:
            return """
                It touches a cell for which no proof was found, so everything around that is withheld. Where time ran \
                out, more of it (--seconds) may publish it.
                """
        }
    }

    /// The equation by which the cell would give another away: their whole and its parts, where they share one.
    func equation(for reason: WithholdingReason, _ margin: Margin, _ cell: CellIndex) -> Explanation.Equation? {
        switch reason {
        case .leavesSmallRest(let parent) where parent.period == release.header.period:
            return equation(parent.margin, parent.cell, parts: margin)
        case .reveals(let other) where other.margin == margin && other.period == release.header.period,
            .bounds(let other?) where other.margin == margin && other.period == release.header.period:
            // They have a published whole in common where they differ in one dimension and that one is summed out.
            let mine = layout.buckets(of: cell, in: margin)
            let its = layout.buckets(of: other.cell, in: margin)
            let kept = layout.dimensions.indices.filter(margin.keeps)
            let differing = zip(kept, zip(mine, its)).filter { $0.1.0 != $0.1.1 }.map(\.0)
            guard differing.count == 1, let place = differing.first else { return nil }
            let whole = Margin(keeping: kept.filter { $0 != place })
            return equation(whole, layout.project(cell, from: margin, to: whole), parts: margin)
        default:
            return nil
        }
    }

    private func equation(_ whole: Margin, _ cell: CellIndex, parts: Margin) -> Explanation.Equation? {
        guard let published = release.cell(cell, in: whole), layout.refines(parts, whole) else { return nil }
        let project = layout.projection(from: parts, to: whole)
        let terms = (0..<layout.size(of: parts)).map { CellIndex(UInt32($0)) }.filter {
            project($0) == cell && !layout.isImpossible($0, in: parts) && !layout.isVacant($0, in: parts)
        }
        // An equation that nobody can read explains nothing.
        guard terms.count <= 40 else { return nil }
        return Explanation.Equation(
            whole: .init(cell: name(whole, cell), count: published.count),
            parts: terms.map { .init(cell: name(parts, $0), count: release.cell($0, in: parts)?.count) })
    }
}
