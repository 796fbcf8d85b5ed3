extension AuditInput {
    /// What `/metrics` said at one time.
    package struct Reading: Sendable, Codable, Hashable {
        let text: String
        let name: String

        /// Puts a page together with what to call it.
        package init(text: String, name: String) {
            self.text = text
            self.name = name
        }

        /// What is moved by events, by name and labels.
        fileprivate var counters: [String: Int64] {
            var found: [String: Int64] = [:]
            for line in text.split(separator: "\n") where !line.hasPrefix("#") {
                guard let space = line.lastIndex(of: " "), let value = Int64(line[line.index(after: space)...]),
                    AuditInput.moved.contains(String(line.prefix { $0 != "{" && $0 != " " }))
                else { continue }
                found[String(line[..<space])] = value
            }
            return found
        }
    }

    /// Counters that rise when somebody sends something.
    private static let moved: Set<String> = [
        "throng_batches_received_total", "throng_batches_total", "throng_events_accepted_total",
        "throng_events_refused_total", "throng_batches_refused_total", "throng_late_cells_total",
        "throng_flushed_cells_total", "throng_reveals_total", "throng_revealed_hashes_dropped_total",
    ]

    /// Where these are shown to others they are sampled: each shows a multiple of this, which is no number of events.
    private static let step: Int64 = 20

    /// Looks at what readings of `/metrics` differ by: a counter that rose by few tells of few events, and when they came.
    ///
    /// Where every counter of every reading is a multiple of ``step``, they are sampled, and their rises tell nothing.
    ///
    /// - Parameters:
    ///   - readings: of one process, the first one first.
    ///   - threshold: k.
    /// - Complexity: O(bytes).
    package mutating func add(readings: [Reading], threshold: Int64) {
        sources += readings.map(\.name)
        let counters = readings.map(\.counters)
        for (reading, counters) in zip(readings, counters) where counters.isEmpty {
            unread.append("\(reading.name): no page of /metrics")
        }
        guard counters.contains(where: { $0.values.contains { $0 % Self.step != 0 } }) else { return }
        for (place, (before, after)) in zip(counters, counters.dropFirst()).enumerated() {
            for (name, value) in after.sorted(by: { $0.key < $1.key }) {
                guard let known = before[name], value > known, value - known < threshold else { continue }
                let (earlier, later) = (readings[place].name, readings[place + 1].name)
                tells.append(
                    AuditFinding(
                        kind: .exact, severity: .pin, app: "metrics", metric: name, measure: .count,
                        target: "\(later) less \(earlier)", lower: value - known, upper: value - known,
                        threshold: threshold, certificates: [],
                        explanation:
                            "rose from \(known) to \(value): \(value - known) is under k = \(threshold), and it is known "
                            + "when"))
            }
        }
    }
}
