import ThrongNoise
import ThrongPlan
internal import ThrongSystem

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
        let noise = try secret.noise(
            of: key, .fresh(variance, period: period, counted: digest), cells: windows.count)
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
