internal import Foundation
package import ThrongPlan
package import ThrongReport
package import ThrongStore

/// Takes reports that are kept no longer from the folders that they were delivered to on this machine.
package struct CopyRetention: Sendable {
    let store: RetentionStore
    /// The folder in which relative paths of deliveries begin.
    let folder: String

    package struct Outcome: Sendable, Hashable {
        package var files = 0
        /// Folders that are not here, or could not be emptied, and why.
        package var left: [String: String] = [:]
        /// The apps of which it can't be told what is due.
        package var troubles: [AppTrouble] = []

        package init() {}
    }

    package init(store: RetentionStore, folder: String) { (self.store, self.folder) = (store, folder) }

    /// Removes what is due by the plans in force. What can't be reached is tried again by the next round.
    package func remove(_ plans: [Plan], now: UnixSeconds) async throws -> Outcome {
        var outcome = Outcome()
        let due = try await store.agedCopies(plans, now: now)
        outcome.troubles = due.troubles
        for copy in due.copies {
            guard case .folder(let path)? = Delivery(target: copy.target, authorization: nil) else { continue }
            let copies = DeliveredCopies(
                folder: ReportFolder(named: path, in: folder).path,
                stems: [ReportFile.stem(report: copy.run.report.text, period: copy.label)])
            guard copies.isHere else {
                outcome.left[copies.folder] = "there is no such folder on this machine"
                continue
            }
            do {
                // An empty folder tells that nothing is left in it; one that is away tells nothing.
                let files = try await onOwnThread { try copies.remove(takingFolder: false) }
                try await store.wasRemoved(copy, files: files)
                outcome.files += files
            } catch let error as ReportError { outcome.left[copies.folder] = "\(error)" }
        }
        return outcome
    }
}

/// Files of reports in a folder that they were delivered to.
package struct DeliveredCopies: Sendable, Hashable {
    package let folder: String
    /// The beginnings of the files' names, up to the first dot.
    package let stems: Set<String>

    package init(folder: String, stems: Set<String>) { (self.folder, self.stems) = (folder, stems) }

    package var isHere: Bool {
        var facts = stat()
        return stat(folder, &facts) == 0 && facts.st_mode & S_IFMT == S_IFDIR
    }

    /// Takes the files out, manifests first: nothing then vouches for what is left. No link is followed. Files before a
    /// failing one are gone. The folder may go, too, where it is empty then.
    package func remove(takingFolder: Bool) throws(ReportError) -> Int {
        let names = try PlainFolder.entries(of: folder).filter { $0.value == .file && isOfThem($0.key) }.keys
        for name in names.sorted(by: { (isManifest($0) ? 0 : 1, $0) < (isManifest($1) ? 0 : 1, $1) }) {
            let path = folder + "/" + name
            guard unlink(path) == 0 || errno == ENOENT else { throw .last("unlink", path) }
        }
        if !names.isEmpty { try PlainFolder.sync(folder) }
        // One that holds something else stays.
        if takingFolder { rmdir(folder) }
        return names.count
    }

    private func isOfThem(_ name: String) -> Bool {
        stems.contains { name.hasPrefix($0 + ".") && ReportFile.isName(name) }
    }

    private func isManifest(_ name: String) -> Bool { name.hasSuffix(ReportFile.manifestEnding) }
}
