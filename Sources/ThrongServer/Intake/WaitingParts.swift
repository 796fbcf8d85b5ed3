internal import NIOCore
internal import NIOHTTP1

/// What has come of a connection and waits for the answer to the request before it, or for its turn.
///
/// Nothing is read from a socket while anything waits, but where the client has closed its end: then NIO reads all that is left
/// at once, which may be megabytes of requests. What is more than may wait is not taken.
struct WaitingParts {
    enum Element {
        case part(HTTPServerRequestPart)
        case event(Any)
        case error(any Error)

        /// Roughly. Unit: bytes.
        fileprivate var bytes: Int {
            switch self {
            case .part(.head): 1 << 10
            case .part(.body(let bytes)): 64 + bytes.readableBytes
            default: 64
            }
        }
    }

    private var elements = CircularBuffer<Element>()
    /// Roughly, of what came since nothing waited. Unit: bytes.
    private var bytes = 0
    /// Whether more came than may wait: no request is taken any more but those that wait.
    private(set) var isCut = false

    /// More than one read brings, since a request has 18 bytes at least and a read 16 KiB. Unit: bytes.
    private static let most = 1 << 20

    var isEmpty: Bool { elements.isEmpty }
    var first: Element? { elements.first }

    mutating func append(_ element: Element) {
        if elements.isEmpty { bytes = 0 }
        bytes += element.bytes
        if case .part = element, bytes > Self.most { isCut = true } else { elements.append(element) }
    }

    mutating func removeFirst() { elements.removeFirst() }
    mutating func removeAll() { elements.removeAll() }
}
