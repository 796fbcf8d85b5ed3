internal import Foundation
package import ThrongReport

/// Files of reports in a folder that they were delivered to.
package struct DeliveredCopies: Sendable, Hashable {
    package let folder: String
    /// The beginnings of the files' names, up to the first dot.
    package let stems: Set<String>

    package init(folder: String, stems: Set<String>) {
        self.folder = folder
        self.stems = stems
    }

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
