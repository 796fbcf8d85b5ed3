import ThrongNoise
import ThrongPlan
internal import ThrongSystem

/// The devices that a release draws from: identifiers of a window, or devices known once in its period.
struct DeviceSource {
    /// The period for which the fresh layer is drawn.
    let period: String
    /// The square of the noise's width, if it was drawn before; nil if it is drawn now.
    let square: Int64?
    /// The question texts of the events that were counted in the period.
    let texts: QuestionTexts
    private let layout: MetricLayout
    /// Identifiers that prove devices.
    private let distinct: [StoredDistinct]
    private let counters: [StoredCounter]
    private let rows: Rows

    /// The way in which devices are known.
    enum Kind {
        /// Identifiers of a window.
        case identifiers
        /// Devices that say which event is their first of the period.
        case said
        /// Devices that proved to be there in the period.
        case proved

        /// Returns the kinds that a release draws, the one that it tells last.
        static func all(of header: ReleaseHeader) -> [Kind] {
            guard header.layout.hasIdentifiers else { return [] }
            return [.identifiers] + (header.provesFirsts ? [.proved] : header.hasFirsts ? [.said] : [])
        }

        /// Returns the first line of a question about them.
        func canonicalText(in header: ReleaseHeader) -> String {
            switch self {
            case .identifiers: "devices"
            case .said: "devices that say it is their first of a \(header.period.kind.rawValue)"
            case .proved: "devices that proved to be there in a \(header.period.kind.rawValue)"
            }
        }
    }

    private enum Rows {
        /// The window's identifiers by tracked margin.
        case identifiers([Margin: [StoredDistinct]])
        /// The counters of firsts by shown grouping.
        case said([Margin: MeasureIndex])
        /// The proved devices by tracked margin and cell.
        case proved([Margin: [CellIndex: Int64]])
    }

    /// Reads the devices that are known once in a release's period because they say or prove that they were there.
    init(_ release: MarginCase, said: Bool) {
        let header = release.header
        layout = header.layout
        distinct = release.parts.flatMap(\.cube.distinct)
        counters = release.parts.flatMap(\.cube.counters)
        rows = said ? .said(header.firsts) : .proved(release.proved?.devices ?? [:])
        period = "\(header.period.kind.rawValue) \(header.period.start)"
        square = nil
        texts = release.texts
    }

    /// Reads the identifiers of one window.
    ///
    /// - Parameter all: the windows that prove devices, this one among them.
    init(_ release: MarginCase, _ window: DeviceWindow?, provedIn all: [DeviceWindow]) {
        layout = release.header.layout
        distinct = all.flatMap(\.distinct)
        counters = []
        rows = .identifiers(Dictionary(grouping: window?.distinct ?? [], by: \.margin))
        period = window?.text ?? ""
        square = window?.part.square(layout.sums.count + 1)
        texts = window?.part.texts ?? release.texts
    }

    /// True if the devices of a grouping were counted. An earlier plan's layout may not have counted them.
    func counts(_ grouping: Margin) -> Bool { layout.counting(grouping) != nil }

    /// Returns the devices proved in each cell: by any window's identifiers, or by themselves. Unit: devices.
    func floors(in grouping: Margin) -> [Int64] {
        var floors = Array(repeating: Int64(0), count: layout.size(of: grouping))
        guard let counted = layout.counting(grouping) else { return floors }
        if case .proved(let all) = rows {
            floors = layout.table(by: grouping, of: (all[counted] ?? [:]).map { ($0.key, $0.value) }, in: counted)
        }
        let project = layout.projection(from: counted, to: grouping)
        for rows in Dictionary(grouping: distinct.filter { $0.margin == counted }, by: \.window).values {
            var devices: [Int: Int64] = [:]
            for row in rows {
                let cell = Int(project(row.cell).value)
                devices[cell] = (devices[cell] ?? 0).addedClamped(row.devices)
            }
            for (cell, count) in devices { floors[cell] = max(floors[cell], count) }
        }
        return floors
    }

    /// Returns a function that gives the tables of devices by occasion and fields.
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
                let all = self.counters.filter { $0.measure == counter }.map { ($0.cell, $0.value) }
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
}

/// The identifiers of one window of a release's period.
struct DeviceWindow {
    /// The counted period in which it lies.
    let part: MarginCase.Part
    /// The distinct identifiers by tracked margin and cell.
    let distinct: [StoredDistinct]
    /// The number of all of them. Unit: identifiers.
    let devices: Int64
    /// The period for which the fresh layer is drawn.
    let text: String
}

extension MarginCase {
    /// The windows in which devices were counted, by time.
    var windows: [DeviceWindow] {
        guard let counted = header.layout.counting(.total) else { return [] }
        var windows: [DeviceWindow] = []
        for part in parts {
            for (window, rows) in Dictionary(grouping: part.cube.distinct, by: \.window).sorted(by: { $0.key < $1.key })
            {
                let devices = rows.reduce(Int64(0)) { $1.margin == counted ? $0.addedClamped($1.devices) : $0 }
                windows.append(DeviceWindow(part: part, distinct: rows, devices: devices, text: part.text(of: window)))
            }
        }
        return windows
    }

    /// Returns the place of the window whose devices the release tells: the one with the most by noisy numbers, or the
    /// only one; nil if there is none.
    ///
    /// Devices of several windows can't be added, and a table of each cell's largest number would not add up.
    func busiest(of windows: [DeviceWindow], _ secret: DrawSecret) throws(NoiseError) -> Int? {
        guard windows.count > 1 else { return windows.indices.first }
        let variance = try LayerVariance(threshold: header.threshold.devices, buckets: [])
        let key = QuestionKey(of: "busiest window\nof\n\(texts.eventSet(CellIndex(0), in: .total))")
        let period = "\(header.period.kind.rawValue) \(header.period.start)"
        let digest = secret.digest(of: windows.map(\.devices))
        let noise = try secret.noise(of: key, .fresh(variance, period: period, counted: digest), cells: windows.count)
        let noisy = zip(windows, noise).map { Fault.noiseOff.isOn ? $0.devices : $0.devices.addedClamped($1) }
        return noisy.indices.max { (noisy[$0], $1) < (noisy[$1], $0) }
    }

    /// Draws the identifiers of the windows. The busiest window, whose numbers the release tells, comes last; before it
    /// come the other windows that show more. A number is shown if k devices are proved in any window and the number
    /// drawn there says so, whichever window is the busiest.
    func identifierCrowds(
        _ tables: [Margin: DrawnTables], _ shape: MarginShape, _ secret: DrawSecret
    ) throws(NoiseError) -> [[Margin: DrawnCrowd]] {
        let windows = windows
        let busiest = try busiest(of: windows, secret)
        let told = try deviceCrowds(
            tables, .identifiers, shape, DeviceSource(self, busiest.map { windows[$0] }, provedIn: windows), secret)
        var open = told.mapValues { crowd in
            Set(crowd.floors.indices.filter { !crowd.isShown[$0] && crowd.floors[$0] >= crowd.threshold })
        }
        var crowds: [[Margin: DrawnCrowd]] = []
        for (place, window) in windows.enumerated() where place != busiest {
            guard open.values.contains(where: { !$0.isEmpty }) else { break }
            let source = DeviceSource(self, window, provedIn: [window])
            // A window that can't show more need not be drawn.
            let isNeeded = open.contains { grouping, cells in
                guard !cells.isEmpty else { return false }
                let floors = source.floors(in: grouping)
                return cells.contains { floors[$0] >= header.threshold.devices }
            }
            guard isNeeded else { continue }
            let more = try deviceCrowds(tables, .identifiers, shape, source, secret)
            for (grouping, crowd) in more {
                open[grouping]?.subtract(crowd.isShown.indices.filter { crowd.isShown[$0] })
            }
            crowds.append(more)
        }
        return crowds + [told]
    }
}
