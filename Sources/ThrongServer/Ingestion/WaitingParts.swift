internal import NIOCore
internal import NIOHTTP1

/// The parts of a connection's input that wait for the answer to the request before them, or for their turn.
///
/// Nothing is read from a socket while anything waits, unless the client has closed its end: then NIO reads all that is
/// left at once, which may be megabytes of requests. As many of these as have room wait, each of them whole.
struct WaitingParts {
    enum Element {
        case part(HTTPServerRequestPart)
        case event(Any)
        case error(any Error)

        /// The memory that it takes, roughly. Unit: bytes.
        fileprivate var bytes: Int {
            switch self {
            case .part(.head(let head)):
                head.headers.reduce(512 + head.uri.utf8.count) { $0 + 64 + $1.name.utf8.count + $1.value.utf8.count }
            case .part(.body(let bytes)): 64 + bytes.readableBytes
            case .part(.end(let trailers?)): trailers.reduce(64) { $0 + 64 + $1.name.utf8.count + $1.value.utf8.count }
            default: 64
            }
        }
    }

    private var elements = CircularBuffer<Element>()
    /// The memory of all parts that have come since nothing waited. Unit: bytes.
    private var bytes = 0
    /// True if more came than has room, or nobody waits for it.
    private(set) var isCut = false
    /// True if an error follows the waiting parts.
    private var hasFailed = false

    /// The memory for waiting parts: more than one read brings, even through TLS. A request of 25 bytes, of which 32
    /// KiB have 1,310, takes 650. Unit: bytes.
    private static let most = 2 << 20

    var isEmpty: Bool { elements.isEmpty }
    var first: Element? { elements.first }
    /// True if no further input is taken for a request.
    var isClosed: Bool { isCut || hasFailed }

    mutating func append(_ element: Element) {
        if elements.isEmpty { bytes = 0 }
        bytes += element.bytes
        switch element {
        case .part where bytes > Self.most:
            isCut = true
            while let last = elements.last, !last.isEnd { elements.removeLast() }
        case .error:
            hasFailed = true
            elements.append(element)
        default: elements.append(element)
        }
    }

    mutating func removeFirst() { elements.removeFirst() }

    mutating func putBack(_ element: Element) {
        if elements.isEmpty { bytes = element.bytes }
        elements.prepend(element)
    }

    mutating func drop() {
        elements.removeAll()
        isCut = true
    }
}

extension WaitingParts.Element { fileprivate var isEnd: Bool { if case .part(.end) = self { true } else { false } } }
