internal import ThrongFaults
import ThrongNoise
import ThrongPlan

/// The numbers of devices that a release draws from: identifiers of the busiest window, or devices that are known once in its period
/// because they say or prove so.
struct DeviceSource {
    /// What the fresh layer is drawn for.
    let period: String
    /// The square of its width where it was drawn before; nil where it is drawn now.
    let square: Int64?
    /// Of what was counted in it.
    let texts: QuestionTexts
    private let layout: MetricLayout
    private let cubes: [StoredCube]
    private let rows: Rows

    /// Devices as they are known.
    enum Kind {
        /// Identifiers of a window.
        case identifiers
        /// Devices that say which event is their first of the period.
        case said
        /// Devices that proved to be there in the period.
        case proved

        /// The kinds that a release draws: identifiers, and devices of the whole period where they are known. The last is what it tells.
        static func all(of header: ReleaseHeader) -> [Kind] {
            guard header.layout.hasIdentifiers else { return [] }
            return [.identifiers] + (header.provesFirsts ? [.proved] : header.hasFirsts ? [.said] : [])
        }

        /// The first line of a question about them.
        func canonicalText(in header: ReleaseHeader) -> String {
            switch self {
            case .identifiers: "devices"
            case .said: "devices that say it is their first of a \(header.period.kind.rawValue)"
            case .proved: "devices that proved to be there in a \(header.period.kind.rawValue)"
            }
        }
    }

    private enum Rows {
        /// By tracked margin.
        case identifiers([Margin: [StoredDistinct]])
        /// By shown grouping, the counters of its firsts.
        case said([Margin: MeasureIndex])
        /// By tracked margin, by cell.
        case proved([Margin: [CellIndex: Int64]])
    }

    /// Reads the devices of one kind.
    init(_ release: MarginCase, _ kind: Kind, _ secret: DrawSecret) throws(NoiseError) {
        let header = release.header
        layout = header.layout
        cubes = release.parts.map(\.cube)
        switch kind {
        case .identifiers:
            let busiest = try Self.busiest(release, secret)
            let distinct = busiest?.part.cube.distinct.filter { $0.window == busiest?.window } ?? []
            rows = .identifiers(Dictionary(grouping: distinct, by: \.margin))
            period = busiest.map { $0.part.text(of: $0.window) } ?? ""
            square = busiest?.part.square(header.layout.sums.count + 1)
            texts = busiest?.part.texts ?? release.texts
            return
        case .said: rows = .said(header.firsts)
        case .proved: rows = .proved(release.proved?.devices ?? [:])
        }
        period = "\(header.period.kind.rawValue) \(header.period.start)"
        square = nil
        texts = release.texts
    }

    /// Whether the devices of a grouping were counted. An earlier plan's layout may not have.
    func counts(_ grouping: Margin) -> Bool { layout.counting(grouping) != nil }

    /// By cell of a grouping, the devices that are proved to be there: the most identifiers of any window, or those that proved it by
    /// themselves. Unit: devices.
    func floors(in grouping: Margin) -> [Int64] {
        var floors = Array(repeating: Int64(0), count: layout.size(of: grouping))
        guard let counted = layout.counting(grouping) else { return floors }
        if case .proved(let all) = rows {
            floors = layout.table(by: grouping, of: (all[counted] ?? [:]).map { ($0.key, $0.value) }, in: counted)
        }
        let project = layout.projection(from: counted, to: grouping)
        for cube in cubes {
            let rows = cube.distinct.filter { $0.margin == counted }
            for rows in Dictionary(grouping: rows, by: \.window).values {
                var devices: [Int: Int64] = [:]
                for row in rows {
                    let cell = Int(project(row.cell).value)
                    devices[cell] = (devices[cell] ?? 0).addedClamped(row.devices)
                }
                for (cell, count) in devices { floors[cell] = max(floors[cell], count) }
            }
        }
        return floors
    }

    /// The tables of devices by occasion and fields.
    ///
    /// - Parameter parts: the groupings with these occasions.
    func counts(
        by occasions: Margin, _ parts: [MarginShape.Part]
    ) -> (_ occasion: CellIndex, _ fields: Margin) -> [Int64] {
        typealias Known = [CellIndex: [(cell: CellIndex, value: Int64)]]
        func byOccasion(_ all: some Sequence<(cell: CellIndex, value: Int64)>, in counted: Margin) -> Known {
            let project = layout.projection(from: counted, to: occasions)
            return Dictionary(grouping: all) { project($0.cell) }
        }
        let tracked = parts.first.flatMap { layout.counting($0.grouping) } ?? layout.leaf
        switch rows {
        case .identifiers(let all):
            let known = byOccasion((all[tracked] ?? []).map { ($0.cell, $0.devices) }, in: tracked)
            return { layout.table(by: $1, of: known[$0] ?? [], in: tracked) }
        case .proved(let all):
            let known = byOccasion((all[tracked] ?? [:]).map { ($0.key, $0.value) }, in: tracked)
            return { layout.table(by: $1, of: known[$0] ?? [], in: tracked) }
        case .said(let counters):
            var said: [MeasureIndex: Known] = [:]
            for part in parts {
                guard let counter = counters[part.grouping], said[counter] == nil else { continue }
                let all = cubes.flatMap(\.counters).filter { $0.measure == counter }.map { ($0.cell, $0.value) }
                said[counter] = byOccasion(all, in: layout.leaf)
            }
            // The coarsest grouping that has these fields says how many devices are in their cells.
            let ordered = parts.sorted {
                ($0.fields.bits.nonzeroBitCount, $0.grouping) < ($1.fields.bits.nonzeroBitCount, $1.grouping)
            }
            return { [said] occasion, fields in
                let grouping = ordered.first { $0.fields.refines(fields) && counters[$0.grouping] != nil }?.grouping
                let told = grouping.flatMap { counters[$0] }.flatMap { said[$0]?[occasion] } ?? []
                return layout.table(by: fields, of: told, in: layout.leaf)
            }
        }
    }

    /// The window whose devices are told: the one with the most, as far as noisy numbers say; the only one where there is one.
    ///
    /// Devices of several windows can't be added, and the largest of each cell would not add up to anything.
    private static func busiest(
        _ release: MarginCase, _ secret: DrawSecret
    ) throws(NoiseError) -> (part: MarginCase.Part, window: WindowNumber)? {
        guard let counted = release.header.layout.counting(.total) else { return nil }
        var windows: [(part: MarginCase.Part, window: WindowNumber, devices: Int64)] = []
        for part in release.parts {
            let rows = part.cube.distinct.filter { $0.margin == counted }
            for (window, rows) in Dictionary(grouping: rows, by: \.window).sorted(by: { $0.key < $1.key }) {
                windows.append((part, window, rows.reduce(0) { $0.addedClamped($1.devices) }))
            }
        }
        guard windows.count > 1 else { return windows.first.map { ($0.part, $0.window) } }
        let variance = try LayerVariance(threshold: release.header.threshold.devices, buckets: [])
        let key = QuestionKey(of: "busiest window\nof\n\(release.texts.eventSet(CellIndex(0), in: .total))")
        let period = "\(release.header.period.kind.rawValue) \(release.header.period.start)"
        let digest = secret.digest(of: windows.map(\.devices))
        let noise = try secret.noise(
            of: key, .fresh(variance, period: period, counted: digest), cells: windows.count)
        let noisy = zip(windows, noise).map { Fault.noiseOff.isOn ? $0.devices : $0.devices.addedClamped($1) }
        return noisy.indices.max { (noisy[$0], $1) < (noisy[$1], $0) }.map { (windows[$0].part, windows[$0].window) }
    }
}
