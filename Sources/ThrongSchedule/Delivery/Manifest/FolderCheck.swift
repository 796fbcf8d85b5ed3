package import ThrongPlan
package import ThrongReport

/// The findings of `throng verify` in a folder of reports.
///
/// For each manifest it checks that a known key signed it when it could, that all of its files are there with the bytes
/// that it names, and that nothing else is.
///
/// Nothing in a manifest is believed before its signature is checked. Of one that failed, only the names of files are
/// read, to say why nothing vouches for them. Symbolic links are not followed, and are found fault with. Whoever can
/// write to the folder while it is checked can still exchange a file afterwards.
package struct FolderCheck: Sendable, Hashable {
    package struct Line: Sendable, Hashable, Encodable {
        package let isGood: Bool
        package let subject: String
        package let finding: String

        private enum CodingKeys: String, CodingKey {
            case isGood = "good"
            case subject, finding
        }
    }

    package private(set) var lines: [Line] = []
    /// The number of manifests that are good in all respects.
    package private(set) var goodReports = 0
    package private(set) var reports = 0
    /// The periods of each report, by the manifests that are good in themselves.
    package private(set) var series: [ReportSeries] = []

    package var isGood: Bool { reports > 0 && lines.allSatisfy(\.isGood) }

    /// The largest manifest that is read. Unit: bytes.
    private static let largest = 4 << 20

    /// Checks a folder, in which a file such as the list of keys may be ignored.
    package init(of folder: String, keys: ReportKeyList, ignoring: String? = nil) throws(ReportError) {
        let found = try PlainFolder.entries(of: folder, ignoring: ignoring)
        for (name, kind) in found.sorted(by: { $0.key < $1.key }) where kind != .file {
            lines.note(false, name, kind.fault)
        }
        var known: Set<String> = []
        var good: [ReportManifest.Checked] = []
        var failed: [String] = []
        for name in found.keys.sorted() where found[name] == .file && name.hasSuffix(ReportFile.manifestEnding) {
            reports += 1
            let before = lines.count
            if let manifest = check(name, in: folder, keys: keys, known: &known) {
                good.append(manifest)
            } else {
                failed.append(name)
            }
            if lines[before...].allSatisfy(\.isGood) { goodReports += 1 }
        }
        series = ReportSeries.all(of: good)
        let claimed = failed.map { name in
            PlainFolder.contents(folder + "/" + name, atMost: Self.largest).flatMap { ReportManifest.Checked($0) }
        }
        let names = Set(claimed.compactMap(\.self).flatMap(\.files).map(\.name))
        let isUnknown = claimed.contains { $0 == nil }
        for (name, kind) in found.sorted(by: { $0.key < $1.key }) where kind == .file && !known.contains(name) {
            let finding =
                names.contains(name)
                ? "is listed only in a manifest that failed"
                : isUnknown ? "is in no manifest that could be read" : "is in no manifest"
            lines.note(false, name, finding)
        }
        if reports == 0 {
            lines.note(false, folder.printable, "has no manifest, so nothing vouches for it")
        } else if found.values.allSatisfy({ $0 == .file }), known == Set(found.keys) {
            lines.note(true, folder.printable, "holds these files and nothing else")
        }
    }

    /// Checks a manifest and its files; nil where the manifest itself is not to be believed.
    private mutating func check(
        _ name: String, in folder: String, keys: ReportKeyList, known: inout Set<String>
    ) -> ReportManifest.Checked? {
        let base = String(name.dropLast(ReportFile.manifestEnding.count))
        let signatureName = base + ReportFile.signatureEnding
        known.formUnion([name, signatureName])
        func fault(_ subject: String, _ finding: String) -> ReportManifest.Checked? {
            lines.note(false, subject, finding)
            return nil
        }
        guard let manifest = PlainFolder.contents(folder + "/" + name, atMost: Self.largest) else {
            return fault(name, "can't be read, or is larger than \(Self.largest >> 20) MiB")
        }
        guard let signature = PlainFolder.contents(folder + "/" + signatureName, atMost: 64), signature.count == 64
        else { return fault(signatureName, "is missing, or is not the 64 bytes of a signature") }
        guard let signer = keys.keys.first(where: { $0.key.accepts(signature, over: manifest) }) else {
            let ids = keys.keys.map(\.key.id.hex).joined(separator: ", ")
            return fault(name, "was not signed with \(ids), or was changed since: don't believe anything in it")
        }
        guard let checked = ReportManifest.Checked(manifest) else {
            return fault(
                name, "is signed, but is no \(ReportManifest.format): a newer `throng verify` may be able to read it")
        }
        guard checked.key == signer.key.id else {
            return fault(name, "is signed with key \(signer.key.id), but names key \(checked.key)")
        }
        let signedAt = Instant.text(checked.signedAt)
        guard signer.covers(checked.signedAt) else {
            return fault(name, "is signed with key \(signer.key.id) at \(signedAt), when that key did not sign")
        }
        guard base == ReportFile.stem(report: checked.report, period: checked.label) else {
            return fault(name, "is the manifest of \(checked.report) for \(checked.label): it was given another name")
        }
        lines.note(
            true, name,
            "signed with key \(signer.key.id) at \(signedAt): \(checked.report) of \(checked.app) for "
                + "\(checked.partner), \(checked.label)")
        for file in checked.files {
            // A file may be vouched for by one manifest only, or a report could pass as another.
            guard known.insert(file.name).inserted else {
                lines.note(false, file.name, "is in two manifests")
                continue
            }
            check(file, in: folder)
        }
        return checked
    }

    private mutating func check(_ file: ReportManifest.Entry, in folder: String) {
        switch PlainFolder.digest(folder + "/" + file.name) {
        case nil: lines.note(false, file.name, "is missing, or can't be read")
        case let found? where found.size != file.size:
            lines.note(false, file.name, "has \(found.size) bytes, and \(file.size) in the manifest")
        case let found? where found.sha256 != file.sha256:
            lines.note(false, file.name, "has other contents than the manifest's: SHA-256 \(found.sha256)")
        case let found?: lines.note(true, file.name, "\(found.size) bytes, SHA-256 \(found.sha256), as in the manifest")
        }
    }
}

extension [FolderCheck.Line] {
    mutating func note(_ isGood: Bool, _ subject: String, _ finding: String) {
        append(FolderCheck.Line(isGood: isGood, subject: subject, finding: finding.printable))
    }
}

/// The periods of one report for which a folder has good manifests.
///
/// A period that is not among them may have been left out, or was never reported: no signature tells.
package struct ReportSeries: Sendable, Hashable, Encodable {
    package let report: String
    package let app: String
    package let partner: String
    package let kind: PeriodKind
    /// The first period, as file names have it.
    package let first: String
    package let last: String
    /// The number of periods that are there.
    package let count: Int
    /// The periods between the first and the last that are not there, in order; the first ``most`` of them.
    package let missing: [String]
    package let missingCount: Int

    package static let most = 20
    /// The most periods that are looked at: a hundred years of hours.
    private static let longest = 880_000

    /// Everything about it in sentences: "8 days, from 2026-11-16 to 2026-11-24; 2026-11-18 is not among them".
    package var finding: String {
        guard count > 1 else { return "one \(kind.rawValue), \(first)" }
        let span = "\(Wording.english.count(count, kind.rawValue)), from \(first) to \(last)"
        guard missingCount > 0 else { return span + ", none missing in between" }
        let more = missingCount - missing.count
        let names = more > 0 ? missing + ["\(more) more"] : missing
        return span + "; \(names.listed) \(missingCount == 1 ? "is" : "are") not among them"
    }

    /// The series that manifests make, by report and partner; whose period can't be read is in none.
    static func all(of manifests: [ReportManifest.Checked]) -> [ReportSeries] {
        struct Name: Hashable {
            let report: String
            let app: String
            let partner: String
            let kind: PeriodKind
            let timeZone: String
            var order: [String] { [app, report, partner, kind.rawValue, timeZone] }
        }
        var periods: [Name: Set<Period>] = [:]
        for manifest in manifests {
            guard let period = manifest.period else { continue }
            let name = Name(
                report: manifest.report, app: manifest.app, partner: manifest.partner, kind: period.kind,
                timeZone: manifest.timeZone)
            periods[name, default: []].insert(period)
        }
        return periods.sorted { $0.key.order.lexicographicallyPrecedes($1.key.order) }.compactMap { name, periods in
            guard let calendar = PeriodCalendar(timeZone: name.timeZone), let first = periods.min(),
                let last = periods.max()
            else { return nil }
            var missing: [String] = []
            var missingCount = 0
            var next = first
            for _ in 0..<longest where next.start < last.start {
                next = calendar.period(name.kind, containing: next.end)
                guard next.start < last.start, !periods.contains(next) else { continue }
                missingCount += 1
                if missing.count < most { missing.append(calendar.label(of: next)) }
            }
            return ReportSeries(
                report: name.report, app: name.app, partner: name.partner, kind: name.kind,
                first: calendar.label(of: first), last: calendar.label(of: last), count: periods.count,
                missing: missing, missingCount: missingCount)
        }
    }
}
