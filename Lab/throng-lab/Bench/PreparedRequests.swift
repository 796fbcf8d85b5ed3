internal import Foundation
internal import NIOCore
internal import ThrongIngest
internal import ThrongLoad
internal import ThrongPlan

/// Prepared batches with their HTTP heads in front, ready to be copied into a connection's buffer.
struct PreparedRequests: Sendable {
    let batches: PreparedBatches
    private let requests: [(bytes: [UInt8], head: Int)]

    init(_ batches: PreparedBatches, host: String, path: String) {
        self.batches = batches
        requests = batches.bodies.map { body in
            let head =
                "POST \(path) HTTP/1.1\r\nHost: \(host)\r\nContent-Type: application/json\r\nContent-Length: \(body.count)"
                + "\r\n\r\n"
            return (Array(head.utf8) + body, head.utf8.count)
        }
    }

    func write(_ number: UInt64, run: UInt64, into buffer: inout ByteBuffer) {
        let request = requests[Int(number % UInt64(requests.count))]
        buffer.writeBytes(request.bytes)
        let window = batches.purpose.rotation.window(at: UnixSeconds(Int64(time(nil))))
        buffer.withUnsafeMutableReadableBytes { bytes in
            batches.name(
                UnsafeMutableRawBufferPointer(rebasing: bytes[request.head...]), number: number, run: run,
                window: window)
        }
    }
}
