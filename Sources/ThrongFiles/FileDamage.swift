package import Foundation

/// What is wrong with a small file of a daemon's.
package struct FileDamage: Error, Sendable, Hashable, CustomStringConvertible {
    /// Where it lies.
    package let path: String
    /// What it was expected to be.
    package let kind: FileKind
    /// What was found.
    package let flaw: Flaw

    /// Puts a finding together.
    package init(path: String, kind: FileKind, flaw: Flaw) {
        self.path = path
        self.kind = kind
        self.flaw = flaw
    }

    /// What can be wrong with a file. Places are bytes from its beginning, from 0 on.
    package enum Flaw: Sendable, Hashable {
        /// It has no bytes.
        case empty
        /// It ends too early: it says how long it is, or not even that.
        case cutOff(at: Int, of: Int?)
        /// More follows than it says.
        case longer(than: Int, found: Int)
        /// From there on every byte is zero.
        case zeroes(from: Int)
        /// This byte is not the one that was written.
        case changed(byte: Int)
        /// Some of these bytes are not those that were written.
        case unlike(from: Int, to: Int)
        /// It does not begin as any file of Throng's does.
        case foreign
        /// It is whole, and something else; nil for what this version does not know.
        case otherKind(found: FileKind?)
        /// It is whole, and another daemon's.
        case otherDaemon(found: UUID, expected: UUID?)
        /// It is whole, and belongs elsewhere.
        case misplaced(name: String)
        /// It is whole, and a newer version wrote it.
        case newer(version: Int)
        /// It is whole, and what is in it is not what its kind has.
        case content
        /// It is not there, and what belongs to it is.
        case missing
        /// It was destroyed.
        case gone
        /// A directory has its name.
        case directory
        /// The system does not let it be read.
        case unreadable(code: Int32)
    }

    /// What was found and what to do.
    package var description: String { "\(path) \(found) \(cure)" }

    /// What was found.
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

    /// What to do.
    private var cure: String {
        switch flaw {
        case .newer: "Start that version, or a newer one."
        case .unreadable: "Check the disk, and the file's owner and permissions. If it is lost: \(kind.cure)"
        default: kind.cure
        }
    }
}
