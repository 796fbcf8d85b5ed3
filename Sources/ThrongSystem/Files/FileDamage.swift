package import Foundation

/// The error that a small file of a daemon's is damaged, missing or not the one expected.
package struct FileDamage: Error, Sendable, Hashable, CustomStringConvertible {
    package let path: String
    package let kind: FileKind
    package let flaw: Flaw

    package init(path: String, kind: FileKind, flaw: Flaw) {
        self.path = path
        self.kind = kind
        self.flaw = flaw
    }

    /// A flaw of a file. Places are offsets in bytes from its beginning, counted from 0.
    package enum Flaw: Sendable, Hashable {
        case empty
        /// The file ends too early; nil if even its size is missing.
        case cutOff(at: Int, of: Int?)
        case longer(than: Int, found: Int)
        case zeroes(from: Int)
        case changed(byte: Int)
        case unlike(from: Int, to: Int)
        case foreign
        /// The file is intact but of another kind; nil for a kind that this version does not know.
        case otherKind(found: FileKind?)
        case otherDaemon(found: UUID, expected: UUID?)
        case misplaced(name: String)
        case newer(version: Int)
        case content
        case missing
        case gone
        case directory
        case unreadable(code: Int32)
    }

    package var description: String { "\(path) \(found) \(cure)" }

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

    private var cure: String {
        switch flaw {
        case .newer: "Start that version, or a newer one."
        case .unreadable: "Check the disk, and the file's owner and permissions. If it is lost: \(kind.cure)"
        default: kind.cure
        }
    }
}
