internal import Foundation

/// The system's file system.
package struct SystemDisk: Disk {
    package static let shared = SystemDisk()

    package func open(_ path: String, flags: Int32) throws(JournalError) -> Int32 {
        let file = Foundation.open(path, flags | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw .system(call: "open", file: path, code: errno) }
        return file
    }

    package func close(_ file: Int32) { Foundation.close(file) }

    package func write(
        _ bytes: [UInt8], from start: Int, to file: Int32, named path: String
    ) throws(JournalError) -> Int {
        while true {
            let written = bytes.withUnsafeBytes { buffer in
                Foundation.write(file, buffer.baseAddress.map { $0 + start }, buffer.count - start)
            }
            if written >= 0 { return written }
            guard errno == EINTR else { throw .system(call: "write", file: path, code: errno) }
        }
    }

    package func read(
        _ file: Int32, named path: String, from start: Int, count: Int
    ) throws(JournalError) -> [UInt8] {
        var code: Int32 = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, offset in
            while offset < count {
                let more = pread(
                    file, buffer.baseAddress.map { $0 + offset }, count - offset, off_t(start + offset))
                if more < 0, errno == EINTR { continue }
                if more < 0 { code = errno }
                if more <= 0 { break }
                offset += more
            }
        }
        guard code == 0 else { throw .system(call: "read", file: path, code: code) }
        return bytes
    }

    package func truncate(_ file: Int32, named path: String, to size: Int) throws(JournalError) {
        guard ftruncate(file, off_t(size)) == 0 else { throw .system(call: "ftruncate", file: path, code: errno) }
    }

    package func sync(_ file: Int32, named path: String) throws(JournalError) {
        guard fdatasync(file) == 0 else { throw .system(call: "fdatasync", file: path, code: errno) }
    }

    package func syncDirectory(_ file: Int32, named path: String) throws(JournalError) {
        guard fsync(file) == 0 else { throw .system(call: "fsync", file: path, code: errno) }
    }

    package func rename(_ path: String, to other: String) throws(JournalError) {
        guard Foundation.rename(path, other) == 0 else { throw .system(call: "rename", file: other, code: errno) }
    }

    package func link(_ path: String, to other: String) throws(JournalError) {
        guard Foundation.link(path, other) == 0 else { throw .system(call: "link", file: other, code: errno) }
    }

    package func unlink(_ path: String) throws(JournalError) {
        guard Foundation.unlink(path) == 0 else { throw .system(call: "unlink", file: path, code: errno) }
    }

    package func makeDirectory(_ path: String) throws(JournalError) {
        guard mkdir(path, 0o700) == 0 else { throw .system(call: "mkdir", file: path, code: errno) }
    }

    package func list(_ directory: String) throws(JournalError) -> [String] {
        do {
            return try FileManager.default.contentsOfDirectory(atPath: directory)
        } catch {
            throw .system(call: "readdir", file: directory, code: errno)
        }
    }

    package func size(of path: String) throws(JournalError) -> Int {
        var status = stat()
        guard stat(path, &status) == 0 else { throw .system(call: "stat", file: path, code: errno) }
        return Int(status.st_size)
    }

    package func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

    package func space(at path: String) -> (free: Int, size: Int)? {
        var facts = statvfs()
        guard statvfs(path, &facts) == 0 else { return nil }
        let block = UInt64(facts.f_frsize)
        return (
            free: Int(clamping: UInt64(facts.f_bavail) * block), size: Int(clamping: UInt64(facts.f_blocks) * block)
        )
    }

    package func lock(_ path: String) throws(JournalError) -> Int32? {
        let file = try open(path, flags: O_RDWR | O_CREAT | O_NOFOLLOW)
        guard flock(file, LOCK_EX | LOCK_NB) == 0 else {
            close(file)
            return nil
        }
        return file
    }

    package func unlock(_ lock: Int32) {
        // The lock is released explicitly: closing alone would leave it to a starting child with a copy.
        flock(lock, LOCK_UN)
        close(lock)
    }

    /// Returns the kernel's boot, the device and the inode: a copy has another inode, and another machine another boot.
    package func name(ofLock lock: Int32) -> String? {
        var facts = stat()
        guard fstat(lock, &facts) == 0,
            let boot = FileManager.default.contents(atPath: "/proc/sys/kernel/random/boot_id")
        else { return nil }
        let name = String(decoding: boot, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
        return name.isEmpty ? nil : "\(name) \(facts.st_dev) \(facts.st_ino)"
    }
}
