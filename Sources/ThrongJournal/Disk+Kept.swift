package import Foundation
package import ThrongFiles

extension Disk {
    /// Puts a small file in place as a whole: a line that says what it is, then its content.
    ///
    /// - Parameter daemon: whose it is; nil where several daemons may have the same one.
    package func keep(
        _ content: [UInt8], at path: String, as kind: FileKind, of daemon: UUID? = nil
    ) throws(JournalError) {
        try replace(path, with: KeptFile.bytes(content, as: kind, of: daemon))
    }

    /// The content of a small file.
    ///
    /// - Throws: ``JournalError/damagedFile(_:)`` where it is not whole, or can't be read; system errors where it is not there,
    ///   or the process has too little of something.
    package func kept(at path: String, as kind: FileKind, of daemon: UUID? = nil) throws(JournalError) -> [UInt8] {
        let bytes = try whole(path, as: kind)
        do throws(FileDamage) {
            return try KeptFile.content(of: bytes, at: path, as: kind, of: daemon)
        } catch {
            throw .damagedFile(error)
        }
    }

    /// The content of a secret's file; nil where it was being destroyed.
    func keptSecret(at path: String, as kind: FileKind, of daemon: UUID? = nil) throws(JournalError) -> [UInt8]? {
        do throws(JournalError) {
            return try kept(at: path, as: kind, of: daemon)
        } catch {
            guard case .damagedFile(let damage) = error, damage.flaw == .gone else { throw error }
            return nil
        }
    }

    /// Reads the content of a small file; what does not follow its kind's format is damage.
    func reading<Value>(
        _ content: [UInt8], of path: String, as kind: FileKind,
        _ body: (inout ByteReader) throws(JournalError) -> Value?
    ) throws(JournalError) -> Value {
        let value: Value?
        do throws(JournalError) {
            value = try content.reading { buffer throws(JournalError) in
                var reader = ByteReader(buffer)
                let value = try body(&reader)
                return reader.isAtEnd ? value : nil
            }
        } catch {
            guard error == .malformedRecord else { throw error }
            value = nil
        }
        guard let value else { throw .damagedFile(FileDamage(path: path, kind: kind, flaw: .content)) }
        return value
    }

    /// Writes over a secret, all of it, and waits until that is on disk.
    func blank(_ path: String, with bytes: [UInt8]) throws(JournalError) {
        let file = try File(path, flags: O_WRONLY, on: self)
        try file.write(bytes)
        try file.sync()
    }

    /// Larger is no small file. Unit: bytes.
    private static var largest: Int { 64 << 20 }

    /// All bytes of a small file; what keeps it from being read, and is not this process's own want, is damage.
    func whole(_ path: String, as kind: FileKind) throws(JournalError) -> [UInt8] {
        do throws(JournalError) {
            let size = try size(of: path)
            guard size <= Self.largest else {
                throw .damagedFile(FileDamage(path: path, kind: kind, flaw: .longer(than: Self.largest, found: size)))
            }
            return try contents(path, from: 0, count: size)
        } catch {
            guard case .system(_, _, let code) = error else { throw error }
            switch code {
            case EISDIR: throw .damagedFile(FileDamage(path: path, kind: kind, flaw: .directory))
            case EACCES, EPERM, EIO, ELOOP, ENOTDIR, EUCLEAN:
                throw .damagedFile(FileDamage(path: path, kind: kind, flaw: .unreadable(code: code)))
            default: throw error
            }
        }
    }
}
