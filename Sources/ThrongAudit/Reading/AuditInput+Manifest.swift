extension AuditInput {
    /// A manifest as it was delivered beside a report.
    package struct Manifest: Sendable {
        let bytes: [UInt8]
        let name: String

        /// Puts the bytes of a file together with its name.
        package init(bytes: [UInt8], name: String) {
            self.bytes = bytes
            self.name = name
        }
    }

    /// Looks at what manifests say of coverage: a reason that is listed in one and not in another tells of single events.
    ///
    /// - Complexity: O(bytes).
    package mutating func add(manifests: [Manifest]) {
        var found: [String: [(name: String, reasons: [String])]] = [:]
        for manifest in manifests {
            guard let tree = JSONReader.read(manifest.bytes), let app = tree["app"]?.text else {
                unread.append("\(manifest.name): not a manifest of a report")
                continue
            }
            sources.append(manifest.name)
            guard let reasons = tree["coverage"]?["refused_because"] else { continue }
            found[app, default: []].append((manifest.name, reasons.keys))
        }
        for (app, manifests) in found.sorted(by: { $0.key < $1.key }) {
            let all = Set(manifests.flatMap(\.reasons))
            for (name, reasons) in manifests {
                let missing = all.subtracting(reasons).sorted()
                guard !missing.isEmpty else { continue }
                tells.append(
                    AuditFinding(
                        kind: .marker, severity: .pin, app: app, metric: "coverage", measure: .count, target: name,
                        lower: 0, upper: 0, threshold: 0, certificates: [],
                        explanation:
                            "\(missing.joined(separator: ", ")) is listed in other manifests and not here: nobody was "
                            + "refused for it, and where it appears somebody was"))
            }
        }
    }
}
