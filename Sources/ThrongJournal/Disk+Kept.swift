package import Foundation
package import ThrongSystem

extension Disk {
    /// Writes a small file as a whole: a line with its kind, then its content.
    ///
    /// - Parameter daemon: the owner; nil if several daemons may have the same file.
    package func keep(
        _ content: [UInt8], at path: String, as kind: FileKind, of daemon: UUID? = nil
    ) throws(JournalError) {
        try replace(path, with: KeptFile.bytes(content, as: kind, of: daemon))
    }

    /// Returns the content of a small file.
    ///
    /// - Throws: ``JournalError/damagedFile(_:)`` if it is damaged or can't be read; system errors if it is missing, or
    ///   the process lacks a resource.
    package func kept(at path: String, as kind: FileKind, of daemon: UUID? = nil) throws(JournalError) -> [UInt8] {
        let bytes = try whole(path, as: kind)
        do throws(FileDamage) {
            return try KeptFile.content(of: bytes, at: path, as: kind, of: daemon)
        } catch {
            throw .damagedFile(error)
        }
    }

    /// Returns the content of a secret's file; nil if it was being destroyed.
    func keptSecret(at path: String, as kind: FileKind, of daemon: UUID? = nil) throws(JournalError) -> [UInt8]? {
        do throws(JournalError) {
            return try kept(at: path, as: kind, of: daemon)
        } catch {
            guard case .damagedFile(let damage) = error, damage.flaw == .gone else { throw error }
            return nil
        }
    }

    /// Decodes the content of a small file; content that does not follow its kind's format is damage.
    func reading<Value>(
        _ content: [UInt8], of path: String, as kind: FileKind,
        _ body: (inout RecordReader) throws(JournalError) -> Value?
    ) throws(JournalError) -> Value {
        let value: Value?
        do throws(JournalError) {
            value = try content.reading { buffer throws(JournalError) in
                var reader = RecordReader(buffer)
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

    /// Overwrites all of a secret, and waits until that is on disk.
    func blank(_ path: String, with bytes: [UInt8]) throws(JournalError) {
        let file = try File(path, flags: O_WRONLY, on: self)
        try file.write(bytes)
        try file.sync()
    }

    /// The largest size of a small file. Unit: bytes.
    private static var largest: Int { 64 << 20 }

    /// Returns all bytes of a small file. A failure to read it is damage, unless the process lacks a resource.
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
