package import Foundation

// Every small file that a daemon keeps: one line that says what it is, and then its content.
//
//     offset  size  what
//     0       7     "throng" and a blank
//     7       20    its kind, filled up with blanks: FileKind.swift has them all
//     27      1     a blank
//     28      4     the version of that kind's content, decimal digits
//     32      1     a blank
//     33      10    bytes of content: n, decimal digits
//     43      1     a blank
//     44      36    the owning daemon, as a UUID in capitals; zeroes if it belongs to no daemon alone
//     80      1     a blank
//     81      8     CRC-32C of all other bytes of the file, hexadecimal digits in lower case
//     89      1     a line feed
//     90      n     the content, as the file says at whose head it is specified
//
// A file is replaced as a whole: the new one is written beside it, synced and renamed, and the folder is synced. The
// checksum decides how a file that does not match is described: only if it is right is the file called another kind's,
// another daemon's or a newer version's. A changed byte is named if it alone explains the checksum.
//
// A secret that is to be destroyed is overwritten by a file of kind "gone" and the same size, so that a key that was
// being destroyed can't be mistaken for damage by a disk.

/// Builds and checks the bytes of small files.
package enum KeptFile {
    /// Bytes before the content.
    package static let headSize = 90
    private static let magic = Array("throng ".utf8)
    private static let (kindPlace, versionPlace, sizePlace, daemonPlace, sumPlace) = (7, 28, 33, 44, 81)
    private static let nobody = "00000000-0000-0000-0000-000000000000"

    /// Returns a file as it lies on disk; the owner is nil if several daemons may have the same one.
    package static func bytes(_ content: [UInt8], as kind: FileKind, of daemon: UUID? = nil) -> [UInt8] {
        bytes(content, named: kind.rawValue, version: kind.version, of: daemon)
    }

    /// Returns the bytes that overwrite a secret's file of `count` bytes.
    package static func gone(_ count: Int) -> [UInt8] {
        guard count >= headSize else { return [UInt8](repeating: 0, count: count) }
        return bytes([UInt8](repeating: 0, count: count - headSize), named: "gone", version: 1, of: nil)
    }

    private static func bytes(_ content: [UInt8], named kind: String, version: Int, of daemon: UUID?) -> [UInt8] {
        var text = "throng " + filled(kind, to: 20) + " "
        text += digits(version, 4) + " " + digits(content.count, 10) + " " + (daemon?.uuidString ?? nobody) + " "
        var file = Array(text.utf8) + [UInt8](repeating: 0, count: 8) + [0x0A] + content
        file.replaceSubrange(sumPlace..<sumPlace + 8, with: hex(checksum(file)))
        return file
    }

    private static func filled(_ text: String, to count: Int) -> String {
        text + String(repeating: " ", count: max(0, count - text.utf8.count))
    }

    private static func digits(_ number: Int, _ count: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, count - text.utf8.count)) + text
    }

    private static func hex(_ number: UInt32) -> [UInt8] {
        let digits = Array("0123456789abcdef".utf8)
        return (0..<8).map { digits[Int(number >> UInt32(28 - 4 * $0) & 15)] }
    }

    /// Returns the checksum of all bytes but those that hold it.
    private static func checksum(_ bytes: [UInt8]) -> UInt32 {
        CRC32C.checksum(Array(bytes[..<sumPlace]) + Array(bytes[(sumPlace + 8)...]))
    }

    /// The largest size of a small file. Unit: bytes.
    package static let largest = 64 << 20

    /// True if there is something at a path: a link that leads nowhere, and what this process may not look at, too.
    package static func isThere(_ path: String) -> Bool {
        var facts = stat()
        return lstat(path, &facts) == 0 || (errno != ENOENT && errno != ENOTDIR)
    }

    /// Opens a file or a directory and waits for nothing; -1 with `errno`, which is `ENXIO` for a pipe or a device.
    package static func open(_ path: String, flags: Int32) -> Int32 {
        let file = Foundation.open(path, flags | O_CLOEXEC | O_NONBLOCK, 0o600)
        var facts = stat()
        guard file >= 0, fstat(file, &facts) == 0, ![S_IFREG, S_IFDIR].contains(facts.st_mode & S_IFMT) else {
            return file
        }
        close(file)
        errno = ENXIO
        return -1
    }

    /// Reads and checks a file that belongs to no daemon alone; returns its content.
    package static func content(at path: String, as kind: FileKind) throws(FileDamage) -> [UInt8] {
        try content(of: whole(path, as: kind).bytes, at: path, as: kind)
    }

    /// Reads a file without a check of its bytes; returns them and its permissions.
    static func whole(_ path: String, as kind: FileKind) throws(FileDamage) -> (bytes: [UInt8], mode: mode_t) {
        func damage(_ flaw: FileDamage.Flaw) -> FileDamage { FileDamage(path: path, kind: kind, flaw: flaw) }
        let file = open(path, flags: O_RDONLY)
        guard file >= 0 else { throw damage(FileDamage.Flaw(code: errno)) }
        defer { close(file) }
        var facts = stat()
        guard fstat(file, &facts) == 0 else { throw damage(FileDamage.Flaw(code: errno)) }
        let size = Int(facts.st_size)
        guard size <= largest else { throw damage(.longer(than: largest, found: size)) }
        var bytes = [UInt8](repeating: 0, count: size)
        let count = read(file, &bytes, size)
        guard count >= 0 else { throw damage(FileDamage.Flaw(code: errno)) }
        return (Array(bytes[..<count]), facts.st_mode & 0o7777)
    }

    /// Returns the content of a file, after checking it; the owner is nil for a kind that belongs to no daemon alone.
    package static func content(
        of bytes: [UInt8], at path: String, as kind: FileKind, of daemon: UUID? = nil
    ) throws(FileDamage) -> [UInt8] {
        if let flaw = flaw(of: bytes, as: kind, of: daemon) { throw FileDamage(path: path, kind: kind, flaw: flaw) }
        return Array(bytes[headSize...])
    }

    private static func flaw(of bytes: [UInt8], as kind: FileKind, of daemon: UUID?) -> FileDamage.Flaw? {
        guard !bytes.isEmpty else { return .empty }
        if bytes.allSatisfy({ $0 == 0 }) { return .zeroes(from: 0) }
        if zip(bytes, magic).count(where: !=) > 3 { return .foreign }
        guard bytes.count >= headSize else { return .cutOff(at: bytes.count, of: nil) }
        let expected = Self.bytes(Array(bytes[headSize...]), as: kind, of: daemon)
        guard bytes != expected else { return nil }
        if Array(bytes[sumPlace..<sumPlace + 8]) == hex(checksum(bytes)), let flaw = meant(bytes, as: kind, of: daemon)
        {
            return flaw
        }
        return damage(of: bytes, expected: expected)
    }

    /// Returns the flaw of an intact file that is not the one expected; nil if the checksum does not match.
    private static func meant(_ bytes: [UInt8], as kind: FileKind, of daemon: UUID?) -> FileDamage.Flaw? {
        func text(_ place: Int, _ count: Int) -> String {
            String(decoding: bytes[place..<place + count], as: UTF8.self)
        }
        guard let version = Int(text(versionPlace, 4)), let owner = UUID(uuidString: text(daemonPlace, 36)) else {
            return nil
        }
        let name = text(kindPlace, 20).trimmingCharacters(in: .whitespaces)
        guard bytes == Self.bytes(Array(bytes[headSize...]), named: name, version: version, of: owner) else {
            return nil
        }
        if name == "gone" { return .gone }
        guard name == kind.rawValue else { return .otherKind(found: FileKind(rawValue: name)) }
        guard version <= kind.version else { return .newer(version: version) }
        return version == kind.version ? .otherDaemon(found: owner, expected: daemon) : nil
    }

    /// - Parameter expected: the file with these bytes as its content.
    private static func damage(of bytes: [UInt8], expected: [UInt8]) -> FileDamage.Flaw {
        func differs(_ places: Range<Int>) -> Int? { places.first { bytes[$0] != expected[$0] } }
        // All of the line but the size and the checksum is known beforehand.
        if let place = differs(0..<sizePlace) ?? differs(sizePlace + 10..<sumPlace) ?? differs(sumPlace + 8..<headSize)
        {
            return .changed(byte: place)
        }
        let stored = UInt32(String(decoding: bytes[sumPlace..<sumPlace + 8], as: UTF8.self), radix: 16)
        if let stored, hex(stored) == Array(expected[sumPlace..<sumPlace + 8]),
            let place = differs(sizePlace..<sizePlace + 10)
        {
            return .changed(byte: place)
        }
        guard let size = Int(String(decoding: bytes[sizePlace..<sizePlace + 10], as: UTF8.self)), size >= 0 else {
            return .changed(byte: differs(sizePlace..<sizePlace + 10) ?? sizePlace)
        }
        if size > bytes.count - headSize { return .cutOff(at: bytes.count, of: headSize + size) }
        if size < bytes.count - headSize { return .longer(than: headSize + size, found: bytes.count) }
        guard let stored, hex(stored) == Array(bytes[sumPlace..<sumPlace + 8]) else {
            return .changed(byte: differs(sumPlace..<sumPlace + 8) ?? sumPlace)
        }
        let difference = stored ^ checksum(bytes)
        // The difference lies within one digit of the stored checksum: only a change of that digit is as short.
        if (0..<8).contains(where: { difference & ~(15 << UInt32(4 * $0)) == 0 }) {
            return .changed(byte: differs(sumPlace..<sumPlace + 8) ?? sumPlace)
        }
        if let place = CRC32C.changedByte(of: bytes.count - 8, difference: difference), place >= sumPlace + 1 {
            return .changed(byte: place + 8)
        }
        let end = bytes.lastIndex { $0 != 0 } ?? 0
        if bytes.count - end > 8 { return .zeroes(from: max(end + 1, headSize)) }
        return .unlike(from: headSize, to: bytes.count)
    }
}

/// The mark of a data directory whose numbers are made up: a file `made-up`, with a sentence for whoever opens it.
///
/// No daemon takes such a directory for its own by mistake, and no other one is ever emptied for a trial.
package enum MadeUpMark {
    package static let name = "made-up"
    private static let sentence = "Made up by throng try: no such devices exist. The folder may be deleted.\n"

    package static func isThere(in folder: String) -> Bool {
        FileManager.default.fileExists(atPath: folder + "/" + name)
    }

    /// Fills a mark in; returns false where it can't be written.
    package static func fill(_ mark: Int32) -> Bool { pwrite(mark, sentence, sentence.utf8.count, 0) > 0 }
}

/// The error of a file that can't be written.
package enum FileFault: Error, Sendable, Hashable, CustomStringConvertible {
    /// The system call that failed, on which file, with which `errno`.
    case failed(call: String, file: String, code: Int32)

    /// The fault of the call that failed last.
    fileprivate init(_ call: String, _ file: String) { self = .failed(call: call, file: file, code: errno) }

    package var parts: (call: String, file: String, code: Int32) {
        switch self {
        case .failed(let call, let file, let code): (call, file, code)
        }
    }

    package var description: String {
        let (call, file, code) = parts
        return "\(call) failed on \(file): \(String(cString: strerror(code)))"
    }
}

/// A new file for its owner only, which gets its name only when it is whole and on disk. Every call blocks.
package final class NewFile {
    private let path: String
    private let draft: String
    private let descriptor: Int32
    private var isWhole = false

    private var folder: String {
        path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
    }

    /// Creates the file under the name of a draft, in the place of one that was left unfinished.
    ///
    /// - Parameter draft: by default `….part`; several that may write at once need a name each.
    package init(_ path: String, draft: String? = nil) throws(FileFault) {
        let draft = draft ?? path + ".part"
        (self.path, self.draft) = (path, draft)
        unlink(draft)
        descriptor = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw FileFault("open", draft) }
    }

    deinit {
        close(descriptor)
        if !isWhole { unlink(draft) }
    }

    package func write(_ bytes: [UInt8]) throws(FileFault) {
        var offset = 0
        while offset < bytes.count {
            let count = bytes.withUnsafeBytes { buffer in
                Foundation.write(descriptor, buffer.baseAddress.map { $0 + offset }, buffer.count - offset)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw FileFault("write", draft) }
            offset += count
        }
    }

    /// Sets who may read it, whatever the process's mask.
    package func allow(_ mode: UInt32) throws(FileFault) {
        guard fchmod(descriptor, mode) == 0 else { throw FileFault("fchmod", draft) }
    }

    /// Gives a file that root makes to the owner of its folder, as whom a daemon has to read it.
    package func giveToOwnerOfFolder() throws(FileFault) {
        guard geteuid() == 0 else { return }
        var facts = stat()
        guard stat(folder, &facts) == 0 else { throw FileFault("stat", folder) }
        guard facts.st_uid == 0 || fchown(descriptor, facts.st_uid, facts.st_gid) == 0 else {
            throw FileFault("fchown", draft)
        }
    }

    /// Gives the file its name once it is on disk; fails with `EEXIST` if another has it that is not to be replaced.
    package func finish(replacing: Bool = false) throws(FileFault) {
        guard fsync(descriptor) == 0 else { throw FileFault("fsync", draft) }
        FaultPoint.reached("before_file_named")
        if replacing {
            guard rename(draft, path) == 0 else { throw FileFault("rename", path) }
        } else {
            guard link(draft, path) == 0 else { throw FileFault("link", path) }
            unlink(draft)
        }
        isWhole = true
        let names = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard names >= 0 else { throw FileFault("open", folder) }
        defer { close(names) }
        guard fsync(names) == 0 else { throw FileFault("fsync", folder) }
    }

    /// Gives the file its name in the place of an older one, which is overwritten: it may hold what was deleted since.
    package func finishOver() throws(FileFault) {
        let old = open(path, O_WRONLY | O_NOFOLLOW | O_CLOEXEC)
        guard old >= 0 || errno == ENOENT else { throw FileFault("open", path) }
        defer { close(old) }
        try finish(replacing: true)
        guard old >= 0 else { return }
        var facts = stat()
        guard fstat(old, &facts) == 0 else { throw FileFault("fstat", path) }
        let blank = [UInt8](repeating: 0, count: Int(facts.st_size))
        guard pwrite(old, blank, blank.count, 0) == blank.count, fsync(old) == 0 else { throw FileFault("write", path) }
    }
}
