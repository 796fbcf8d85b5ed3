internal import Hummingbird
internal import HummingbirdCore
internal import Logging
internal import NIOCore
internal import NIOHTTP1
internal import NIOHTTPTypes
internal import NIOHTTPTypesHTTP1

/// HTTP/1.1 as Hummingbird serves it, with batches answered before its router sees them, and with an end to slow clients.
struct HTTPChannel: HTTPChannelHandler {
    typealias Value = NIOAsyncChannel<HTTPRequestPart, HTTPResponsePart>

    let responder: Responder
    /// Who takes batches; nil where none are taken.
    let queues: AnswerQueues?
    let origins: CrossOrigin
    let limits: ConnectionDeadline.Limits
    let room: ConnectionRoom
    let edge: ConnectionEdge

    /// Of a request line with its headers. Unit: bytes.
    private static let largestHead = 80 << 10

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        channel.eventLoop.makeCompletedFuture {
            let pipeline = channel.pipeline.syncOperations
            let source = try edge.begin(pipeline)
            let socket = SocketEnd()
            try pipeline.addHandler(socket)
            // Requests that come before their predecessor is answered wait in BatchHandler; a malformed one is answered by
            // Hummingbird.
            try pipeline.addHandler(HTTPResponseEncoder())
            var limits = NIOHTTPDecoderLimitConfiguration()
            limits.maxHeaderListSize = Self.largestHead
            let decoder = HTTPRequestDecoder(leftOverBytesStrategy: .dropBytes, limitConfiguration: limits)
            // What follows an upgrade that nobody offered is kept by the decoder, and must have an end.
            try pipeline.addHandler(ByteToMessageHandler(decoder, maximumBufferSize: 2 * Self.largestHead))
            try pipeline.addHandler(ConnectionDeadline(self.limits, in: room, from: source))
            try pipeline.addHandler(
                BatchHandler(
                    ingestion: queues?.counting, queue: queues?.queue(of: channel.eventLoop), socket: socket,
                    origins: origins))
            try pipeline.addHandler(HTTP1ToHTTPServerCodec(secure: edge.sessions != nil))
            try pipeline.addHandler(HTTPConnectionStateHandler(logger: logger))
            return try NIOAsyncChannel(
                wrappingChannelSynchronously: channel, configuration: .init(isOutboundHalfClosureEnabled: true))
        }
    }

    func handle(value: Value, logger: Logger) async { await handleHTTP(asyncChannel: value, logger: logger) }
}
