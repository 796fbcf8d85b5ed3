#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif
#if canImport(CZlib)
    internal import CZlib
#endif

/// Packs request bodies (RFC 1952).
enum Gzip {
    /// The packed bytes; nil where they are not shorter, or this platform has no zlib.
    static func packed(_ data: Data) -> Data? {
        #if canImport(CZlib)
            var stream = z_stream()
            // 15 + 16: the largest window, with a gzip header.
            guard
                deflateInit2_(
                    &stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
                    Int32(MemoryLayout<z_stream>.size)) == Z_OK
            else { return nil }
            defer { deflateEnd(&stream) }
            var input = [UInt8](data)
            var output = [UInt8](repeating: 0, count: data.count)
            let count: Int? = input.withUnsafeMutableBufferPointer { input in
                output.withUnsafeMutableBufferPointer { output in
                    stream.next_in = input.baseAddress
                    stream.avail_in = UInt32(truncatingIfNeeded: input.count)
                    stream.next_out = output.baseAddress
                    stream.avail_out = UInt32(truncatingIfNeeded: output.count)
                    return deflate(&stream, Z_FINISH) == Z_STREAM_END ? Int(stream.total_out) : nil
                }
            }
            return count.map { Data(output.prefix($0)) }
        #else
            return nil
        #endif
    }
}
