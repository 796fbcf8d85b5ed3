internal import Foundation

/// Marks a file as one that backups leave out, where the system has such a mark.
///
/// On Apple's systems it is the resource value that backups honour; on Linux the attribute "no dump" (`chattr +d`), which
/// dump(8) honours by itself and others where they are asked to. A `CACHEDIR.TAG` would say that the directory can be deleted
/// and made again, and that is not so.
enum BackupMark {
    /// Marks an open file.
    ///
    /// - Returns: 0, or an error of the system. Linux' file systems may have no attributes, and that is none.
    static func exclude(_ file: Int32, at path: String) -> Int32 {
        #if canImport(Darwin)
            do {
                var url = URL(fileURLWithPath: path)
                var values = URLResourceValues()
                values.isExcludedFromBackup = true
                try url.setResourceValues(values)
            } catch { return EIO }
        #elseif os(Linux)
            var flags: CInt = 0
            guard ioctl(file, readFlags, &flags) == 0, flags & noDump == 0 else { return 0 }
            flags |= noDump
            _ = ioctl(file, writeFlags, &flags)
        #endif
        return 0
    }

    /// Keeps a file from being read before the device was unlocked for the first time since it started, and no longer: what
    /// waits is also sent while the screen is locked.
    ///
    /// - Returns: 0, or an error of the system.
    static func protect(at path: String) -> Int32 {
        #if os(iOS) || os(tvOS) || os(watchOS) || os(visionOS)
            do {
                try FileManager.default.setAttributes(
                    [.protectionKey: FileProtectionType.completeUntilFirstUserAuthentication], ofItemAtPath: path)
            } catch { return EIO }
        #endif
        return 0
    }

    #if os(Linux)
        // <linux/fs.h> has them as macros: FS_IOC_GETFLAGS, FS_IOC_SETFLAGS, FS_NODUMP_FL.
        private static let readFlags = UInt(0x8000_6601 | MemoryLayout<CLong>.size << 16)
        private static let writeFlags = UInt(0x4000_6602 | MemoryLayout<CLong>.size << 16)
        private static let noDump: CInt = 0x40
    #endif
}
