internal import NIOCore
internal import ThrongIngest

/// A request's body without its compression.
struct UnpackedBody {
    private let buffer: ByteBuffer

    /// - Throws: ``IntakeError`` if the body can't be unpacked or is larger than the limit.
    init(_ packed: ByteBuffer, isGzip: Bool, limit: Int) throws(IntakeError) {
        guard isGzip else {
            guard packed.readableBytes <= limit else { throw .bodyTooLarge(limit: limit) }
            buffer = packed
            return
        }
        let result: Result<[UInt8], IntakeError> = packed.withUnsafeReadableBytes { bytes in
            do throws(IntakeError) {
                return .success(try Gzip.unpacked(bytes.bindMemory(to: UInt8.self), limit: limit))
            } catch {
                return .failure(error)
            }
        }
        buffer = ByteBuffer(bytes: try result.get())
    }

    /// Returns a body that may be unpacked and read while others wait: nil if it is larger than ``BodyBudget/smallBytes``.
    static func small(_ packed: ByteBuffer, isGzip: Bool) throws(IntakeError) -> UnpackedBody? {
        guard packed.readableBytes <= BodyBudget.smallBytes else { return nil }
        do throws(IntakeError) {
            return try UnpackedBody(packed, isGzip: isGzip, limit: BodyBudget.smallBytes)
        } catch {
            guard case .bodyTooLarge = error else { throw error }
            return nil
        }
    }

    /// Lends the bytes to a reader whose errors keep their type.
    func read<Value>(
        _ body: (UnsafeBufferPointer<UInt8>) throws(IntakeError) -> Value
    ) throws(IntakeError) -> Value {
        let result: Result<Value, IntakeError> = buffer.withUnsafeReadableBytes { bytes in
            do throws(IntakeError) {
                return .success(try body(bytes.bindMemory(to: UInt8.self)))
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }
}
