import ThrongPlan
import ThrongSystem
import ThrongWire

/// A daemon that runs on this machine, as its page for Prometheus shows it.
struct DoctorDaemon {
    private let address: String

    init(_ settings: Settings) { address = settings.value(of: .metrics)?.text ?? Setting.metrics.standard }

    var findings: [DoctorFinding] {
        get async {
            do {
                let answer = try await HTTPConnection().answer(
                    to: OutgoingRequest(.get, "http://\(address)/metrics"), within: .seconds(5), bodyLimit: 16 << 20)
                guard answer.status == 200 else { throw CommandFailure("it answers \(answer.status)") }
                return read(MetricsPage(String(decoding: answer.body, as: UTF8.self)))
            } catch {
                return [
                    DoctorFinding(
                        "daemon", .look, "none answers at http://\(address)/metrics: \(error)",
                        "throng serve starts one; where it runs elsewhere, name its --metrics")
                ]
            }
        }
    }

    private func read(_ page: MetricsPage) -> [DoctorFinding] {
        var findings = [DoctorFinding("daemon", .good, "one answers at http://\(address)/metrics")]
        if page.value("throng_database_up") == 0 {
            findings.append(
                DoctorFinding(
                    "daemon", .wrong, "it does not reach PostgreSQL, and keeps events in its journal",
                    "start PostgreSQL, or mend --database"))
        }
        for (round, value) in page.values("throng_round_failing", by: "round") where value == 1 {
            findings.append(
                DoctorFinding("daemon", .wrong, "its round \(round) fails", "its log says why: journalctl -u throng"))
        }
        return findings + [certificate(page), refusals(page)].compactMap { $0 }
    }

    private func certificate(_ page: MetricsPage) -> DoctorFinding? {
        guard let end = page.value("throng_certificate_end_timestamp_seconds"), end > 0 else { return nil }
        let days = (Int64(end) - UnixClock.system.now.value) / 86_400
        return days >= 14
            ? DoctorFinding("TLS", .good, "the daemon's certificate is good for \(days) days")
            : DoctorFinding(
                "TLS", days < 1 ? .wrong : .look, "the daemon's certificate is good for \(max(0, days)) days",
                "renew it; the daemon reads the new file by itself")
    }

    /// More than one event in twenty that changed no counter: a client and the plan differ.
    private func refusals(_ page: MetricsPage) -> DoctorFinding? {
        let refused = page.values("throng_events_refused_total", by: "reason")
        let accepted = page.values("throng_events_accepted_total", by: "app").map(\.value).reduce(0, +)
        let sum = refused.map(\.value).reduce(0, +)
        guard sum + accepted > 0, let most = refused.max(by: { $0.value < $1.value }) else { return nil }
        let percent = Int(100 * sum / (sum + accepted))
        guard sum * 20 > sum + accepted else {
            return DoctorFinding("events", .good, "\(percent) % of all since its start were refused")
        }
        return DoctorFinding(
            "events", .look, "\(percent) % of all since its start were refused, most as \(most.label)",
            "compare what clients send with the plan; POST /v1/preview says what becomes of an event")
    }
}

/// The text that Prometheus reads.
struct MetricsPage {
    private let lines: [Substring]

    init(_ text: String) { lines = text.split(separator: "\n").filter { !$0.hasPrefix("#") } }

    /// The value of a metric without labels, or of its first line.
    func value(_ name: String) -> Double? { found(name).first.flatMap { Double($0.value) } }

    /// The values of a metric by one of its labels.
    func values(_ name: String, by label: String) -> [(label: String, value: Double)] {
        found(name).compactMap { labels, value in
            guard let number = Double(value) else { return nil }
            let text = labels.split(separator: "\"", omittingEmptySubsequences: false)
            let place = text.indices.first { text[$0].hasSuffix("\(label)=") && text.indices.contains($0 + 1) }
            return (place.map { String(text[$0 + 1]) } ?? "", number)
        }
    }

    private func found(_ name: String) -> [(labels: Substring, value: Substring)] {
        lines.compactMap { line in
            guard line.hasPrefix(name), let space = line.lastIndex(of: " ") else { return nil }
            let labels = line[..<space].dropFirst(name.count)
            guard labels.isEmpty || labels.first == "{" else { return nil }
            return (labels, line[line.index(after: space)...])
        }
    }
}
