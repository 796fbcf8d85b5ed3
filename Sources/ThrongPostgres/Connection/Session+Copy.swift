internal import CLibPQ

extension Session {
    /// Sends rows through `copy … from stdin (format binary)`; returns how many arrived.
    ///
    /// - Parameter name: what errors call it.
    /// - Parameter write: gets the writer and adds rows to it; what it throws ends the copy without effect.
    @discardableResult
    package func copyIn(_ name: String, _ sql: String, _ write: (CopyWriter) throws -> Void) throws -> Int {
        guard PQsendQuery(handle, sql) == 1 else { throw broken(.connectionLost(query: name)) }
        _ = try results(of: name)
        let deadline = deadline()
        let writer = CopyWriter { [self] bytes in
            guard let start = bytes.baseAddress?.assumingMemoryBound(to: CChar.self) else { return }
            while true {
                switch PQputCopyData(handle, start, Int32(bytes.count)) {
                case 1: return try flush(name, until: deadline)
                case 0: try flush(name, until: deadline)
                default: throw broken(.connectionLost(query: name))
                }
            }
        }
        do {
            try write(writer)
            try writer.finish()
        } catch {
            if !isBroken {
                PQputCopyEnd(handle, "the writer gave up")
                // The server confirms by an error that the copy failed; the writer's error is the one to report.
                _ = Result { try results(of: name) }
            }
            throw error
        }
        guard PQputCopyEnd(handle, nil) == 1 else { throw broken(.connectionLost(query: name)) }
        return try results(of: name).affected
    }
}
