package import Foundation

/// The error that a small file of a daemon's is damaged, missing or not the one expected.
package struct FileDamage: Error, Sendable, Hashable, CustomStringConvertible {
    /// The file's path.
    package let path: String
    /// The kind that was expected.
    package let kind: FileKind
    /// The flaw that was found.
    package let flaw: Flaw

    package init(path: String, kind: FileKind, flaw: Flaw) {
        self.path = path
        self.kind = kind
        self.flaw = flaw
    }

    /// A flaw of a file. Places are offsets in bytes from its beginning, counted from 0.
    package enum Flaw: Sendable, Hashable {
        /// The file is empty.
        case empty
        /// The file ends too early; nil if even its size is missing.
        case cutOff(at: Int, of: Int?)
        /// The file is longer than its head says.
        case longer(than: Int, found: Int)
        /// Every byte from this place on is zero.
        case zeroes(from: Int)
        /// This byte is not the one that was written.
        case changed(byte: Int)
        /// Some of these bytes are not those that were written.
        case unlike(from: Int, to: Int)
        /// The file does not begin as Throng's files do.
        case foreign
        /// The file is intact but of another kind; nil for a kind that this version does not know.
        case otherKind(found: FileKind?)
        /// The file is intact but belongs to another daemon.
        case otherDaemon(found: UUID, expected: UUID?)
        /// The file is intact but belongs elsewhere.
        case misplaced(name: String)
        /// The file is intact, and a newer version wrote it.
        case newer(version: Int)
        /// The file is intact, but its content is not what its kind holds.
        case content
        /// The file is missing, though what belongs to it is there.
        case missing
        /// The file was destroyed on purpose.
        case gone
        /// A directory has the file's name.
        case directory
        /// The system denies reading it.
        case unreadable(code: Int32)
    }

    /// The finding and its remedy.
    package var description: String { "\(path) \(found) \(cure)" }

    /// The finding.
    private var found: String {
        switch flaw {
        case .empty: "is damaged at byte 0: it is empty, and was \(kind.title)."
        case .cutOff(let place, let size?):
            "is damaged at byte \(place): it ends there, and \(kind.title) was \(size) bytes long."
        case .cutOff(let place, nil):
            "is damaged at byte \(place): it ends there, within the line that says what it is."
        case .longer(let size, let found):
            "is damaged at byte \(size): \(found - size) bytes more follow than \(kind.title) has."
        case .zeroes(let place): "is damaged at byte \(place): all is zero from there on, and was \(kind.title)."
        case .changed(let place): "is damaged at byte \(place): that is not what was written there."
        case .unlike(let from, let to):
            "is damaged somewhere in bytes \(from) to \(to - 1): they don't have the checksum that was written."
        case .foreign: "is damaged at byte 0: it does not begin as a file of throng's does, and was \(kind.title)."
        case .otherKind(let other):
            "is not \(kind.title) but \(other?.title ?? "a file of a kind that this version does not know"): somebody has put it in the other's place."
        case .otherDaemon(let found, let expected):
            "belongs to another daemon: it says \(found), and this one is \(expected.map { "\($0)" } ?? "nobody's alone")."
        case .misplaced(let name): "holds what belongs in \(name): somebody has put it in the other's place."
        case .newer(let version):
            "was written by a newer version of throng, whose \(kind.rawValue) has format \(version); this one reads \(kind.version)."
        case .content: "has a checksum that matches, and holds something else than \(kind.title) does."
        case .missing: "is missing: it was \(kind.title), and what belongs to it is there."
        case .gone: "was overwritten because its time was over, and something needs it."
        case .directory: "is a directory, where \(kind.title) is expected."
        case .unreadable(let code): "can't be read: \(String(cString: strerror(code))) (errno \(code))."
        }
    }

    /// The remedy.
    private var cure: String {
        switch flaw {
        case .newer: "Start that version, or a newer one."
        case .unreadable: "Check the disk, and the file's owner and permissions. If it is lost: \(kind.cure)"
        default: kind.cure
        }
    }
}
