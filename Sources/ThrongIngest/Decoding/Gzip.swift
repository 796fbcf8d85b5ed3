internal import CZlib

/// Decompresses gzip bodies (RFC 1952) with a limit on the output, and compresses bytes.
package enum Gzip {
    /// Returns the decompressed bytes.
    ///
    /// - Throws: ``IntakeError/notGzip``, or ``IntakeError/bodyTooLarge(limit:)`` as soon as the limit is passed.
    package static func unpacked(_ bytes: UnsafeBufferPointer<UInt8>, limit: Int) throws(IntakeError) -> [UInt8] {
        var stream = z_stream()
        // 15 bits of window; 16 more ask for the gzip wrapper.
        guard inflateInit2_(&stream, 15 + 16, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else {
            throw .noMemory
        }
        defer { inflateEnd(&stream) }
        stream.next_in = UnsafeMutablePointer(mutating: bytes.baseAddress)
        stream.avail_in = UInt32(bytes.count)
        var output: [UInt8] = []
        var filled = 0
        let step = min(max(4 * bytes.count, 4096), limit + 1)
        while true {
            let start = filled
            if start == output.count {
                output.append(contentsOf: repeatElement(0, count: min(step, limit + 1 - start)))
            }
            let room = output.count - start
            let status = output.withUnsafeMutableBufferPointer { buffer in
                stream.next_out = buffer.baseAddress.map { $0 + start }
                stream.avail_out = UInt32(room)
                return inflate(&stream, Z_NO_FLUSH)
            }
            filled = output.count - Int(stream.avail_out)
            if filled > limit { throw .bodyTooLarge(limit: limit) }
            switch status {
            case Z_STREAM_END where stream.avail_in == 0:
                output.removeLast(output.count - filled)
                return output
            case Z_STREAM_END:
                // Another member follows (RFC 1952, section 2.2).
                guard inflateReset(&stream) == Z_OK else { throw .notGzip }
            case Z_OK where filled > start: continue
            default: throw .notGzip
            }
        }
    }

    /// Returns the bytes as a gzip member, as small as zlib makes them; nil if there is no memory.
    package static func packed(_ bytes: [UInt8]) -> [UInt8]? {
        var stream = z_stream()
        // 15 bits of window; 16 more ask for the gzip wrapper; 9 is zlib's most memory.
        guard
            deflateInit2_(
                &stream, Z_BEST_COMPRESSION, Z_DEFLATED, 15 + 16, 9, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
                Int32(MemoryLayout<z_stream>.size)) == Z_OK
        else { return nil }
        defer { deflateEnd(&stream) }
        var input = bytes
        var output = [UInt8](repeating: 0, count: Int(deflateBound(&stream, UInt(bytes.count))))
        let status = input.withUnsafeMutableBufferPointer { input in
            output.withUnsafeMutableBufferPointer { output in
                stream.next_in = input.baseAddress
                stream.avail_in = UInt32(input.count)
                stream.next_out = output.baseAddress
                stream.avail_out = UInt32(output.count)
                return deflate(&stream, Z_FINISH)
            }
        }
        guard status == Z_STREAM_END else { return nil }
        output.removeLast(Int(stream.avail_out))
        return output
    }
}
